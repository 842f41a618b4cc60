
/*
 * Copyright (C) The Olivine authors
 *
 * "olivine --check-NAME ...": looks through files instead of serving.  Runs
 * where options are read: libc only, no pools, no log.  What was found goes to
 * the standard output, whose last line is "OK: ..." if all is well; what is
 * wrong goes to the standard error.
 */


#ifndef _NGX_OLIVINE_CHECK_H_INCLUDED_
#define _NGX_OLIVINE_CHECK_H_INCLUDED_


#include <base/ngx_olivine_base.h>
#include <stdio.h>


/*
 * Runs the check that argv[1] names, and sets *status to what the process
 * ends with.  OK, or DECLINED if that is no check.
 */
ngx_int_t ngx_olivine_check(int argc, char *const *argv, int *status);

/* The options of all checks, for the help. */
void ngx_olivine_check_help(void);

/* Prints bytes of a file: in quotes if need be, at most so many of them. */
void ngx_olivine_check_print(FILE *out, const u_char *data, size_t len);


/* the checks take arguments from behind the option on, and return the status */

int ngx_olivine_check_rdb(int argc, char *const *argv);
int ngx_olivine_check_aof(int argc, char *const *argv);


#endif /* _NGX_OLIVINE_CHECK_H_INCLUDED_ */
