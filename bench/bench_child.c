/* bench_child.c: this program again, as a child. */
#include "bench/bench_child.h"

#include <sys/wait.h>
#include <unistd.h>

static const struct ChildEntry {
    const char *option;
    ChildTask *task;
} tasks[] = {{"--resident", child_resident}, {"--cold", child_cold}};

ChildTask *child_task(const char *option)
{
    for (size_t i = 0; i < COUNT_OF(tasks); i++)
        if (!strcmp(option, tasks[i].option)) return tasks[i].task;
    return NULL;
}

uint32_t child_run(const Bench *bench, const char *option, double *numbers,
                   uint32_t most)
{
    int ends[2];
    uint32_t count = 0;
    double number;
    if (pipe(ends)) return 0;
    pid_t child = fork();
    if (!child) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/proc/self/exe", "weir-bench", "--tokenizer", bench->tokenizer,
              option, (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    while (in && fscanf(in, "%lf", &number) == 1) {
        if (count < most) numbers[count] = number;
        count++;
    }
    if (in) fclose(in);
    if (child > 0) waitpid(child, NULL, 0);
    return count;
}
