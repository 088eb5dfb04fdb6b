/* random_model_driver.c: random_model_driver PATH SEED [TEMPLATE]: writes the
 * small random model, for tests in Python. */
#include <stdio.h>
#include <stdlib.h>

#include "oracle/random_model.h"

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    RandomModel model = random_model_small(strtoull(argv[2], NULL, 10));
    if (argc > 3) model.chat_template = argv[3];
    return !random_model_write(&model, argv[1]);
}
