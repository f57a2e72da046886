/* faults.c: preloaded into the command: calls that write fail, and what has reached the disk is noted.
 *
 * FAULTS_FOLDER: the folder whose files are meant. FAULTS_FAIL=N: its N-th call fails with EIO; N+: from then on all fail
 * with ENOSPC. FAULTS_STOP=N: the process ends at that call. FAULTS_COUNT=FILE: the number of calls goes there at the end.
 * FAULTS_SHADOW: a folder that receives, at each fsync, the bytes of that file under its inode's number, or of a folder
 * the list of its entries: what a power cut leaves for certain.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long calls;

static int is_below(const char *path)
{
    const char *folder = getenv("FAULTS_FOLDER");
    return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int concerns(int descriptor)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return is_below(path);
}

/* Whether this call fails. */
static int fails(void)
{
    const char *fail = getenv("FAULTS_FAIL"), *stop = getenv("FAULTS_STOP");
    calls++;
    if (stop && calls == atol(stop))
        _exit(77);
    if (!fail)
        return 0;
    long n = atol(fail);
    int on = strchr(fail, '+') != NULL;
    if (calls != n && !(on && calls > n))
        return 0;
    errno = on ? ENOSPC : EIO;
    return 1;
}

__attribute__((destructor)) static void tell(void)
{
    const char *file = getenv("FAULTS_COUNT");
    FILE *out = file ? fopen(file, "w") : NULL;
    if (!out)
        return;
    fprintf(out, "%ld\n", calls);
    fclose(out);
}

#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset)
{
    if (concerns(descriptor) && fails())
        return -1;
    return REAL(pwrite)(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset)
{
    if (concerns(descriptor) && fails())
        return -1;
    return REAL(pwrite64)(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count)
{
    if (concerns(descriptor) && fails())
        return -1;
    return REAL(write)(descriptor, bytes, count);
}

int ftruncate(int descriptor, off_t length)
{
    return concerns(descriptor) && fails() ? -1 : REAL(ftruncate)(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length)
{
    return concerns(descriptor) && fails() ? -1 : REAL(ftruncate64)(descriptor, length);
}

int rename(const char *from, const char *to)
{
    return is_below(to) && fails() ? -1 : REAL(rename)(from, to);
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (flags & O_CREAT && is_below(path) && fails())
        return -1;
    return REAL(open)(path, flags, mode);
}

/* ---- What has reached the disk ---- */

static void note_folder(int descriptor, FILE *out)
{
    DIR *folder = fdopendir(openat(descriptor, ".", O_RDONLY | O_DIRECTORY));
    for (struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder))
        if (e->d_name[0] != '.')
            fprintf(out, "%lu %s\n", (unsigned long)e->d_ino, e->d_name);
    if (folder)
        closedir(folder);
}

static void note_file(int descriptor, FILE *out)
{
    char block[65536];
    ssize_t n;
    for (off_t at = 0; (n = pread(descriptor, block, sizeof block, at)) > 0; at += n)
        fwrite(block, 1, (size_t)n, out);
    dup(descriptor); /* the number stays in use */
}

static void note(int descriptor)
{
    const char *shadow = getenv("FAULTS_SHADOW");
    struct stat info;
    char name[PATH_MAX], part[PATH_MAX + 8];
    if (!shadow || fstat(descriptor, &info) != 0)
        return;
    int is_folder = S_ISDIR(info.st_mode);
    snprintf(name, sizeof name, "%s/%lu", shadow, is_folder ? 0 : (unsigned long)info.st_ino);
    snprintf(part, sizeof part, "%s.new", name);
    FILE *out = fopen(part, "w");
    if (!out)
        return;
    if (is_folder)
        note_folder(descriptor, out);
    else
        note_file(descriptor, out);
    fclose(out);
    REAL(rename)(part, name);
}

int fsync(int descriptor)
{
    if (!concerns(descriptor))
        return REAL(fsync)(descriptor);
    if (fails())
        return -1;
    note(
        descriptor); /* before it is asked for, so that a kill between the two loses nothing that counts */
    return 0;
}
