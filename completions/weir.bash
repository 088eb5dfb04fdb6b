# bash completion for weir(1)

_weir() {
    local current=$2 previous=$3 command= word
    local constraints="--json-value --json-object --regex --choice --ebnf"
    constraints+=" --root --whitespace --max-whitespace --ignore-case --dot-all"
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $word in
        tokenizer | check | mask | sample | explain) command=$word; break ;;
        esac
    done

    case $previous in
    --ebnf | --tokenizer)
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        compopt -o filenames 2>/dev/null
        return
        ;;
    --whitespace)
        mapfile -t COMPREPLY < <(compgen -W "any compact" -- "$current")
        return
        ;;
    --regex | --choice | --root | --max-whitespace | --prefix | --encode | \
        --decode | -n | --seed | --max-tokens)
        return
        ;;
    esac

    local options
    case $command in
    tokenizer) options="--encode --decode" ;;
    check) options="$constraints --trim" ;;
    mask) options="$constraints --tokenizer --prefix --ids" ;;
    sample) options="$constraints --tokenizer -n --seed --max-tokens" ;;
    explain) options="$constraints --tokenizer" ;;
    *) options="tokenizer check mask sample explain --help --version" ;;
    esac
    [[ -z $command ]] || options+=" --json --help --version"
    if [[ -z $command || $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    elif [[ $command == tokenizer || $command == check ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        compopt -o filenames 2>/dev/null
    fi
}

complete -F _weir weir
