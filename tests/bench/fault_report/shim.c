/* Preloaded into a process under test: its wall clock can be moved, its syncs be slowed and noted.

   FAULTS_CLOCK        a file with a number: seconds by which the process's clock is ahead
   FAULTS_SYNC_DELAY   milliseconds that each sync of an append-only file takes longer
   FAULTS_SYNC_LOG     a file that gets "<seconds> <bytes> <path>" for each of them: the monotonic time when the sync
                       was over, and the size that the file had when it began
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double ahead(void) {
    const char *name = getenv("FAULTS_CLOCK");
    char text[32];
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    if (length <= 0) return 0;
    text[length] = 0;
    return atof(text);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += (time_t)ahead();
    return result;
}

int gettimeofday(struct timeval *now, void *zone) {
    static int (*real)(struct timeval *, void *);
    if (!real) real = dlsym(RTLD_NEXT, "gettimeofday");
    int result = real(now, zone);
    if (result == 0) now->tv_sec += (time_t)ahead();
    return result;
}

time_t time(time_t *seconds) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (seconds) *seconds = now.tv_sec;
    return now.tv_sec;
}

static int synced(int file, const char *name) {
    static int (*sync_data)(int), (*sync_all)(int);
    if (!sync_data) sync_data = dlsym(RTLD_NEXT, "fdatasync");
    if (!sync_all) sync_all = dlsym(RTLD_NEXT, "fsync");
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    int watched = strstr(path, ".aof") && !strstr(path, "manifest");
    struct stat before = {0};
    if (watched) fstat(file, &before);
    const char *delay = getenv("FAULTS_SYNC_DELAY"), *log = getenv("FAULTS_SYNC_LOG");
    if (watched && delay) usleep(1000 * atoi(delay));
    int result = strcmp(name, "fsync") ? sync_data(file) : sync_all(file);
    if (watched && log && result == 0) {
        struct timespec over;
        char line[4200];
        clock_gettime(CLOCK_MONOTONIC, &over);
        int size = snprintf(line, sizeof line, "%ld.%09ld %lld %s\n", (long)over.tv_sec, over.tv_nsec,
                            (long long)before.st_size, path);
        int out = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        if (out >= 0) {
            if (write(out, line, size) < 0) result = result;
            close(out);
        }
    }
    return result;
}

int fdatasync(int file) { return synced(file, "fdatasync"); }
int fsync(int file) { return synced(file, "fsync"); }
