
/*
 * Copyright (C) The Olivine authors
 */


#include "module/ngx_olivine_helper.h"
#include "mem/ngx_olivine_huge.h"

#include <pthread.h>
#include <signal.h>


/*
 * Microseconds between two huge pages, of which each takes about three
 * thousand: the first ones, of a small and busy store, come soon, and then
 * they have about a hundredth of a core; and when there was none to make.
 */
#define NGX_OLIVINE_HELPER_SOON    20000
#define NGX_OLIVINE_HELPER_LATER   300000
#define NGX_OLIVINE_HELPER_SLEEP   500000

#define NGX_OLIVINE_HELPER_FIRST   32


static void *ngx_olivine_helper_run(void *data);


void
ngx_olivine_helper_start(ngx_olivine_mount_t *mount)
{
    sigset_t             all, old;
    pthread_t            thread;
    pthread_attr_t       attr;
    ngx_olivine_huge_t  *huge;

    huge = ngx_alloc(sizeof(ngx_olivine_huge_t), ngx_cycle->log);
    if (huge == NULL) {
        return;
    }

    if (ngx_olivine_huge_init(huge, mount->zone) != NGX_OK) {
        ngx_free(huge);
        return;
    }

    if (pthread_attr_init(&attr) != 0) {
        goto failed;
    }

    (void) pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    (void) pthread_attr_setstacksize(&attr, 65536);

    /* signals are the main thread's */

    sigfillset(&all);
    (void) pthread_sigmask(SIG_SETMASK, &all, &old);

    if (pthread_create(&thread, &attr, ngx_olivine_helper_run, huge) == 0) {
        huge = NULL;
    }

    (void) pthread_sigmask(SIG_SETMASK, &old, NULL);
    (void) pthread_attr_destroy(&attr);

    if (huge == NULL) {
        return;
    }

failed:

    ngx_olivine_huge_free(huge);
    ngx_free(huge);
}


static void *
ngx_olivine_helper_run(void *data)
{
    ngx_olivine_huge_t *huge = data;

    ngx_int_t  rc;

    do {
        rc = ngx_olivine_huge_next(huge);

        (void) usleep(rc != NGX_OK ? NGX_OLIVINE_HELPER_SLEEP
                      : huge->made <= NGX_OLIVINE_HELPER_FIRST
                        ? NGX_OLIVINE_HELPER_SOON
                        : NGX_OLIVINE_HELPER_LATER);

    } while (rc != NGX_ERROR);

    ngx_olivine_huge_free(huge);
    ngx_free(huge);

    return NULL;
}
