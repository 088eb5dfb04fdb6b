# bash completion for weir(1)

_weir() {
    local current=$2 previous=$3 command= word
    local requests="--profile --endpoint --failure --grammar"
    requests+=" --jump-forward --batch-grammar --family --reasoning"
    requests+=" --reasoning-tokens --chat"
    local triggers="--trigger-word --trigger-pattern --trigger-token"
    local sources="--dialect --root --whitespace --max-whitespace"
    sources+=" --ignore-case --dot-all --any-order --strict --lenient"
    sources+=" --annotate-formats --integer-fraction --any-escape --unique-keys"
    sources+=" --draft --schema-dir --named"
    local constraints="--json-value --json-object --regex --choice --ebnf"
    constraints+=" --gbnf --lark --any-repeat --schema --structural-tag"
    local generation="$constraints $sources --tools --calls --single"
    generation+=" --reasoning --reasoning-tokens --model --prompt --system"
    generation+=" --chat-template --stream --stats --engine --context"
    generation+=" --threads --gpu-layers --rpc --temperature --top-k --top-p"
    generation+=" --min-p --typical-p --top-n-sigma --xtc-probability --xtc-threshold"
    generation+=" --repeat-penalty --frequency-penalty --presence-penalty"
    generation+=" --penalty-last-n --dry-multiplier --mirostat --redraw --stop"
    generation+=" --seed --max-tokens --jump-forward"
    constraints+=" --request $requests $sources"
    local serving="--model --engine --chat-template --threads --gpu-layers"
    serving+=" --rpc"
    serving+=" --host --port --api-key --alias --parallel --queue --ctx"
    serving+=" --profile --on-unsupported --grammar --jump-forward"
    serving+=" --batch-grammar --speculate --max-body --max-work --timeout"
    serving+=" --drain"
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $word in
        tokenizer | check | mask | sample | generate | explain | convert | \
            conformance | resolve | tools | serve)
            command=$word
            break
            ;;
        esac
    done

    case $previous in
    --ebnf | --gbnf | --lark | --schema | --structural-tag | --request | \
        --tokenizer | --tools | --answer | -m | --model)
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        compopt -o filenames 2>/dev/null
        return
        ;;
    --schema-dir | --remotes)
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        compopt -o filenames 2>/dev/null
        return
        ;;
    --draft)
        mapfile -t COMPREPLY < <(compgen -W "4 6 7 2019-09 2020-12" -- \
            "$current")
        return
        ;;
    --profile)
        mapfile -t COMPREPLY < <(compgen -W \
            "default vllm llama-server ollama mlx-bun" -- "$current")
        return
        ;;
    --endpoint)
        mapfile -t COMPREPLY < <(compgen -W "chat completions responses \
            messages completion generate ollama-chat ollama-generate" -- \
            "$current")
        return
        ;;
    --family)
        mapfile -t COMPREPLY < <(compgen -W "llama qwen_3 qwen_3_5 \
            qwen_3_coder exaone kimi kimi_k3 deepseek_r1 deepseek_v3_1 \
            deepseek_v3_2 deepseek_v4 minimax glm_4_7 cohere harmony hermes \
            mistral mistral_v11 mistral_v7 gemma_4" -- "$current")
        return
        ;;
    --chat-template)
        mapfile -t COMPREPLY < <(compgen -W "none harmony llama_3_1 llama_3 \
            granite_4 granite phi_4 qwen_3 qwen_2_5 chatml deepseek_r1 \
            deepseek_v3_1 deepseek_v3 mistral_v11 mistral_v13 mistral_v3 gemma \
            command phi_3" -- "$current")
        return
        ;;
    --engine)
        mapfile -t COMPREPLY < <(compgen -W "llama builtin" -- "$current")
        return
        ;;
    --chat)
        mapfile -t COMPREPLY < <(compgen -W "chatml qwen3 qwen3-no-think" -- \
            "$current")
        return
        ;;
    --calls)
        mapfile -t COMPREPLY < <(compgen -W "auto required none" -- "$current")
        return
        ;;
    --reasoning)
        mapfile -t COMPREPLY < <(compgen -W "none open may" -- "$current")
        return
        ;;
    --failure | --on-unsupported)
        mapfile -t COMPREPLY < <(compgen -W "refuse degrade" -- "$current")
        return
        ;;
    --grammar | --jump-forward | --batch-grammar)
        mapfile -t COMPREPLY < <(compgen -W "on off" -- "$current")
        return
        ;;
    --dialect)
        mapfile -t COMPREPLY < <(compgen -W "llama.cpp" -- "$current")
        return
        ;;
    --from | --to)
        mapfile -t COMPREPLY < <(compgen -W \
            "schema structural-tag regex ebnf gbnf lark" -- "$current")
        return
        ;;
    --whitespace)
        mapfile -t COMPREPLY < <(compgen -W "any compact" -- "$current")
        return
        ;;
    --regex | --choice | --root | --max-whitespace | --prefix | --encode | \
        --decode | -n | --seed | --max-tokens | --reasoning-tokens | -p | \
        --prompt | --system | --context | --threads | --gpu-layers | \
        --rpc | \
        --temperature | --top-[knp]* | --min-p | --typical-p | --xtc-* | \
        --*-penalty | --penalty-last-n | --dry-multiplier | --mirostat | --stop | \
        --trigger-word | --trigger-pattern | --trigger-token | --host | \
        --port | --api-key | --alias | --parallel | --queue | --ctx | \
        --speculate | --max-body | --max-work | --timeout | --drain)
        return
        ;;
    esac

    local options
    case $command in
    tokenizer) options="--encode --decode" ;;
    check) options="$constraints --trim --tokenizer $triggers" ;;
    mask) options="$constraints --tokenizer --prefix --ids $triggers" ;;
    sample) options="$constraints --tokenizer -n --seed --max-tokens" ;;
    generate) options="$generation" ;;
    explain) options="$constraints --tokenizer --stats --openai-strict" ;;
    resolve) options="$requests --tokenizer" ;;
    tools) options="--family --tools --calls --single --answer --reasoning"
        options+=" --reasoning-tokens --any-order" ;;
    convert) options="--from --to --chat $sources" ;;
    serve) options="$serving --help --version" ;;
    conformance) options="--draft --schema-dir --remotes" ;;
    *) options="tokenizer check mask sample generate explain convert"
        options+=" conformance"
        options+=" resolve tools serve"
        options+=" --help --version" ;;
    esac
    [[ -z $command || $command == serve ]] ||
        options+=" --json --help --version"
    if [[ -z $command || $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    elif [[ $command == conformance ]]; then
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        compopt -o filenames 2>/dev/null
    elif [[ $command == tools && $previous == tools ]]; then
        mapfile -t COMPREPLY < <(compgen -W "tag parse" -- "$current")
    elif [[ $command == tools || $command == tokenizer || $command == check ||
        $command == convert ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        compopt -o filenames 2>/dev/null
    fi
}

complete -F _weir weir
