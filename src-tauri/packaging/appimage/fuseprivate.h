/* Declarations of libsquashfuse that Debian's development package does not install (squashfuse 0.1.105, BSD 2-clause). */
#ifndef SQFS_FUSEPRIVATE_H
#define SQFS_FUSEPRIVATE_H

#include <fuse_lowlevel.h>
#include <squashfuse/squashfuse.h>
#include <sys/statvfs.h>

void sqfs_usage(char *progname, bool fuse_usage);

typedef struct {
	char *progname;
	const char *image;
	int mountpoint;
	size_t offset;
	unsigned int idle_timeout_secs;
} sqfs_opts;

int sqfs_opt_proc(void *data, const char *arg, int key, struct fuse_args *outargs);
int sqfs_statfs(sqfs *sq, struct statvfs *st);

#endif
