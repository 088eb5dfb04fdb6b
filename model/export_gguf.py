"""Writes a trained model as GGUF: F32, or Q8_0 with norms in F32.

    python export_gguf.py CKPT.pt TOKENIZER.json OUT.gguf [--type Q8_0]
"""
import argparse
import json

import gguf
import torch

# ChatML with tools in the form that weir calls qwen_2_5, told by its marks.
CHAT_TEMPLATE = r"""
{%- set first = messages[0] -%}
{%- if tools or first.role == 'system' -%}
{{- '<|im_start|>system\n' -}}
{%- if first.role == 'system' -%}
{{- first.content + ('\n\n' if tools else '') -}}
{%- endif -%}
{%- if tools -%}
{{- "# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>" -}}
{%- for tool in tools -%}{{- '\n' + (tool | tojson) -}}{%- endfor -%}
{{- "\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>" -}}
{%- endif -%}
{{- '<|im_end|>\n' -}}
{%- endif -%}
{%- for message in messages -%}
{%- if message.role != 'system' -%}
{{- '<|im_start|>' + message.role + '\n' + (message.content or '') -}}
{%- for call in message.tool_calls or [] -%}
{{- '<tool_call>\n{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) + '}\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>\n' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}{%- endif -%}
""".strip()


def write_vocab(writer, path):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    tokens = [None] * len(data["model"]["vocab"])
    for token, i in data["model"]["vocab"].items():
        tokens[i] = token
    special = {t["content"] for t in data["added_tokens"]}
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.CONTROL if t in special
                            else gguf.TokenType.NORMAL for t in tokens])
    writer.add_token_merges([m if isinstance(m, str) else " ".join(m)
                             for m in data["model"]["merges"]])
    writer.add_eos_token_id(tokens.index("<|im_end|>"))
    writer.add_pad_token_id(tokens.index("<|endoftext|>"))
    writer.add_add_bos_token(False)
    writer.add_chat_template(CHAT_TEMPLATE)


def write_shape(writer, shape):
    writer.add_name("weir demonstration")
    writer.add_license("MIT")
    writer.add_context_length(shape["context"])
    writer.add_embedding_length(shape["width"])
    writer.add_block_count(shape["layers"])
    writer.add_feed_forward_length(shape["hidden"])
    writer.add_head_count(shape["heads"])
    writer.add_head_count_kv(shape["kv_heads"])
    writer.add_layer_norm_rms_eps(shape["epsilon"])
    writer.add_rope_freq_base(shape["rope_base"])
    writer.add_rope_dimension_count(shape["width"] // shape["heads"])
    writer.add_vocab_size(shape["vocab"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    parser.add_argument("tokenizer")
    parser.add_argument("out")
    parser.add_argument("--type", choices=("F32", "Q8_0"), default="Q8_0")
    options = parser.parse_args()
    saved = torch.load(options.checkpoint)
    kind = getattr(gguf.GGMLQuantizationType, options.type)
    writer = gguf.GGUFWriter(options.out, "llama")
    write_shape(writer, saved["shape"])
    write_vocab(writer, options.tokenizer)
    writer.add_file_type({"F32": gguf.LlamaFileType.ALL_F32,
                          "Q8_0": gguf.LlamaFileType.MOSTLY_Q8_0}
                         [options.type])
    for name, tensor in saved["net"].items():
        values = tensor.numpy()
        if values.ndim == 2 and options.type != "F32":
            writer.add_tensor(name, gguf.quants.quantize(values, kind),
                              raw_dtype=kind)
        else:
            writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
