
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_thread.h"

#include <pthread.h>
#include <signal.h>


typedef struct {
    ngx_olivine_thread_job_t     *head;
    ngx_olivine_thread_job_t    **last;
} ngx_olivine_thread_list_t;


struct ngx_olivine_thread_s {
    ngx_olivine_zone_t           *zone;
    ngx_uint_t                    slot;
    uint32_t                      hint;
    size_t                        stack;
    ngx_log_t                    *log;

    pthread_t                     id;
    pthread_mutex_t               mutex;
    pthread_cond_t                cond;
    ngx_olivine_thread_list_t     posted;
    ngx_olivine_thread_list_t     done;
    unsigned                      running:1;      /* the thread is there */
    unsigned                      ending:1;
};


static ngx_int_t ngx_olivine_thread_start(ngx_olivine_thread_t *thread);
static void *ngx_olivine_thread_main(void *data);
static void ngx_olivine_thread_push(ngx_olivine_thread_list_t *list,
    ngx_olivine_thread_job_t *job);
static ngx_olivine_thread_job_t *ngx_olivine_thread_take(
    ngx_olivine_thread_list_t *list);


ngx_olivine_thread_t *
ngx_olivine_thread_create(ngx_olivine_zone_t *zone, ngx_uint_t slot,
    uint32_t hint, size_t stack, ngx_log_t *log)
{
    ngx_olivine_thread_t  *thread;

    thread = ngx_calloc(sizeof(ngx_olivine_thread_t), log);
    if (thread == NULL) {
        return NULL;
    }

    thread->zone = zone;
    thread->slot = slot;
    thread->hint = hint;
    thread->stack = stack;
    thread->log = log;
    thread->posted.last = &thread->posted.head;
    thread->done.last = &thread->done.head;

    if (pthread_mutex_init(&thread->mutex, NULL) != 0
        || pthread_cond_init(&thread->cond, NULL) != 0)
    {
        ngx_free(thread);
        return NULL;
    }

    return thread;
}


void
ngx_olivine_thread_destroy(ngx_olivine_thread_t *thread)
{
    if (thread->running) {
        (void) pthread_mutex_lock(&thread->mutex);
        thread->ending = 1;
        (void) pthread_cond_signal(&thread->cond);
        (void) pthread_mutex_unlock(&thread->mutex);

        (void) pthread_join(thread->id, NULL);
    }

    ngx_olivine_thread_reap(thread);

    (void) pthread_cond_destroy(&thread->cond);
    (void) pthread_mutex_destroy(&thread->mutex);

    ngx_free(thread);
}


void
ngx_olivine_thread_post(ngx_olivine_thread_t *thread,
    ngx_olivine_thread_job_t *job)
{
    if (!thread->running && ngx_olivine_thread_start(thread) != NGX_OK) {
        job->run(job->data);
        job->done(job->data);
        return;
    }

    (void) pthread_mutex_lock(&thread->mutex);
    ngx_olivine_thread_push(&thread->posted, job);
    (void) pthread_mutex_unlock(&thread->mutex);

    (void) pthread_cond_signal(&thread->cond);
}


void
ngx_olivine_thread_reap(ngx_olivine_thread_t *thread)
{
    ngx_olivine_thread_job_t  *job;

    for ( ;; ) {
        (void) pthread_mutex_lock(&thread->mutex);
        job = ngx_olivine_thread_take(&thread->done);
        (void) pthread_mutex_unlock(&thread->mutex);

        if (job == NULL) {
            return;
        }

        job->done(job->data);
    }
}


/* Signals are the loop's. */

static ngx_int_t
ngx_olivine_thread_start(ngx_olivine_thread_t *thread)
{
    int             err;
    sigset_t        all, old;
    pthread_attr_t  attr;

    (void) sigfillset(&all);

    err = pthread_attr_init(&attr);

    if (err == 0) {
        (void) pthread_attr_setstacksize(&attr, thread->stack);
        (void) pthread_sigmask(SIG_SETMASK, &all, &old);

        err = pthread_create(&thread->id, &attr, ngx_olivine_thread_main,
                             thread);

        (void) pthread_sigmask(SIG_SETMASK, &old, NULL);
        (void) pthread_attr_destroy(&attr);
    }

    if (err) {
        ngx_log_error(NGX_LOG_ALERT, thread->log, err,
                      "olivine: no thread for the disk, pthread_create() "
                      "failed");
        return NGX_ERROR;
    }

    thread->running = 1;

    return NGX_OK;
}


static void *
ngx_olivine_thread_main(void *data)
{
    ngx_olivine_thread_t *thread = data;

    ngx_olivine_thread_job_t  *job;

    (void) pthread_mutex_lock(&thread->mutex);

    for ( ;; ) {
        job = ngx_olivine_thread_take(&thread->posted);

        if (job) {
            (void) pthread_mutex_unlock(&thread->mutex);

            job->run(job->data);

            (void) pthread_mutex_lock(&thread->mutex);
            ngx_olivine_thread_push(&thread->done, job);
            (void) pthread_mutex_unlock(&thread->mutex);

            ngx_olivine_slot_ring(thread->zone, thread->slot, thread->hint);

            (void) pthread_mutex_lock(&thread->mutex);
            continue;
        }

        if (thread->ending) {
            break;
        }

        (void) pthread_cond_wait(&thread->cond, &thread->mutex);
    }

    (void) pthread_mutex_unlock(&thread->mutex);

    return NULL;
}


static void
ngx_olivine_thread_push(ngx_olivine_thread_list_t *list,
    ngx_olivine_thread_job_t *job)
{
    job->next = NULL;
    *list->last = job;
    list->last = &job->next;
}


static ngx_olivine_thread_job_t *
ngx_olivine_thread_take(ngx_olivine_thread_list_t *list)
{
    ngx_olivine_thread_job_t  *job;

    job = list->head;

    if (job) {
        list->head = job->next;

        if (list->head == NULL) {
            list->last = &list->head;
        }
    }

    return job;
}
