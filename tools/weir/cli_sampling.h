/* cli_sampling.h: the options of the sampler. */
#ifndef TOOLS_WEIR_CLI_SAMPLING_H
#define TOOLS_WEIR_CLI_SAMPLING_H

#include "weir/args.h"
#include "weir/sample.h"

/* The defaults, and what the options say. 0, or 2 after a message. */
int sampling_read(const Args *args, weir_sampler_opts *opts);

#endif
