
/*
 * Copyright (C) The Olivine authors
 *
 * Huge pages.  A look-up in a million keys touches two pages of four
 * kilobytes that the TLB has forgotten, and walking the page tables costs
 * more than the look-up.  Where two megabytes of the file are backed from end
 * to end the kernel is asked to make one huge page of them.
 *
 * That takes milliseconds a page, so it is work for a thread beside the event
 * loop.  It takes no lock and changes nothing that anybody could read.
 */


#ifndef _NGX_OLIVINE_HUGE_H_INCLUDED_
#define _NGX_OLIVINE_HUGE_H_INCLUDED_


#include "mem/ngx_olivine_zone.h"


#define NGX_OLIVINE_HUGE  (2 * 1024 * 1024)


typedef struct {
    ngx_olivine_zone_t  *zone;
    size_t               next;      /* chunk to look at */
    size_t               made;
    size_t               chunks;    /* bits in done */
    uint64_t            *done;
} ngx_olivine_huge_t;


/* OK or ERROR. */
ngx_int_t ngx_olivine_huge_init(ngx_olivine_huge_t *huge,
    ngx_olivine_zone_t *zone);

void ngx_olivine_huge_free(ngx_olivine_huge_t *huge);

/*
 * Makes one more huge page.  OK; DECLINED: there is none to make now; ERROR:
 * the kernel does not know how.  For any thread.
 */
ngx_int_t ngx_olivine_huge_next(ngx_olivine_huge_t *huge);


#endif /* _NGX_OLIVINE_HUGE_H_INCLUDED_ */
