/* replay.c: gives every file of the folders named on the command line to the fuzz target it is linked with. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_SIZE = 1 << 20 };

static void replay(const char *folder, const char *name)
{
    static uint8_t data[MAX_SIZE];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
}

static int replay_folder(const char *folder)
{
    int count = 0;
    DIR *entries = opendir(folder);
    if (!entries) {
        perror(folder);
        exit(EXIT_FAILURE);
    }
    for (struct dirent *entry; (entry = readdir(entries));)
        if (entry->d_name[0] != '.') {
            replay(folder, entry->d_name);
            count++;
        }
    closedir(entries);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++)
        count += replay_folder(argv[i]);
    printf("%d inputs\n", count);
    return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
