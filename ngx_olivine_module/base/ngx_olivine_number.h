/*
 * Copyright (C) The Olivine authors
 *
 * Numbers to text and back.  Everything takes (p, last), nothing a C string;
 * texts are those that Redis accepts and prints.
 */


#ifndef _NGX_OLIVINE_NUMBER_H_INCLUDED_
#define _NGX_OLIVINE_NUMBER_H_INCLUDED_


#include "base/ngx_olivine_base.h"


/* the longest texts, without a terminating zero */
#define NGX_OLIVINE_I64_LEN     (sizeof("-9223372036854775808") - 1)
#define NGX_OLIVINE_U64_LEN     (sizeof("18446744073709551615") - 1)
#define NGX_OLIVINE_DOUBLE_LEN  32
#define NGX_OLIVINE_LONG_LEN    (5 * 1024)


/*
 * OK or DECLINED; n is then not touched.  Only the text that printing
 * would give is a number: no blanks, no '+', no leading zeros, no "-0".
 */
ngx_int_t ngx_olivine_number_parse(u_char *p, u_char *last, int64_t *n);
ngx_int_t ngx_olivine_number_parse_u64(u_char *p, u_char *last, uint64_t *n);

/*
 * A memory size: digits and a unit of b, k (1000), kb (1024), m, mb, g, gb
 * in either case.  OK or DECLINED; what does not fit is the largest number.
 */
ngx_int_t ngx_olivine_number_parse_size(u_char *p, u_char *last,
    uint64_t *n);

/* these write at most the length named above and return the end */
u_char *ngx_olivine_number_print(u_char *p, int64_t n);
u_char *ngx_olivine_number_print_u64(u_char *p, uint64_t n);

/* the shortest text that reads back as d; "inf", "-inf", "nan" */
u_char *ngx_olivine_number_print_double(u_char *p, double d);

/*
 * Long doubles, as INCRBYFLOAT has them.  Any text that strtold() takes whole
 * is one, but blanks, nan, and what is too large or too small.  OK or DECLINED.
 * Printed is what 17 digits behind the point give, without zeros at the end.
 */
ngx_int_t ngx_olivine_number_parse_long(u_char *p, u_char *last,
    long double *d);
u_char *ngx_olivine_number_print_long(u_char *p, long double d);


#endif /* _NGX_OLIVINE_NUMBER_H_INCLUDED_ */
