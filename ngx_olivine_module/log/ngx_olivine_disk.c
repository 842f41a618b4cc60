
/*
 * Copyright (C) The Olivine authors
 */


#include "log/ngx_olivine_disk.h"

#include <pthread.h>
#include <signal.h>


#define NGX_OLIVINE_DISK_STACK  (256 * 1024)


typedef struct {
    ngx_olivine_disk_job_t   *head;
    ngx_olivine_disk_job_t  **last;
} ngx_olivine_disk_list_t;


struct ngx_olivine_disk_s {
    ngx_olivine_zone_t       *zone;
    ngx_uint_t                slot;
    ngx_log_t                *log;

    pthread_t                 thread;
    pthread_mutex_t           mutex;
    pthread_cond_t            cond;
    ngx_olivine_disk_list_t   posted;
    ngx_olivine_disk_list_t   done;
    unsigned                  running:1;      /* the thread is there */
    unsigned                  ending:1;
};


static ngx_int_t ngx_olivine_disk_start(ngx_olivine_disk_t *disk);
static void *ngx_olivine_disk_thread(void *data);
static void ngx_olivine_disk_push(ngx_olivine_disk_list_t *list,
    ngx_olivine_disk_job_t *job);
static ngx_olivine_disk_job_t *ngx_olivine_disk_take(
    ngx_olivine_disk_list_t *list);


ngx_olivine_disk_t *
ngx_olivine_disk_create(ngx_olivine_zone_t *zone, ngx_uint_t slot,
    ngx_log_t *log)
{
    ngx_olivine_disk_t  *disk;

    disk = ngx_calloc(sizeof(ngx_olivine_disk_t), log);
    if (disk == NULL) {
        return NULL;
    }

    disk->zone = zone;
    disk->slot = slot;
    disk->log = log;
    disk->posted.last = &disk->posted.head;
    disk->done.last = &disk->done.head;

    if (pthread_mutex_init(&disk->mutex, NULL) != 0
        || pthread_cond_init(&disk->cond, NULL) != 0)
    {
        ngx_free(disk);
        return NULL;
    }

    return disk;
}


void
ngx_olivine_disk_destroy(ngx_olivine_disk_t *disk)
{
    if (disk->running) {
        (void) pthread_mutex_lock(&disk->mutex);
        disk->ending = 1;
        (void) pthread_cond_signal(&disk->cond);
        (void) pthread_mutex_unlock(&disk->mutex);

        (void) pthread_join(disk->thread, NULL);
    }

    ngx_olivine_disk_reap(disk);

    (void) pthread_cond_destroy(&disk->cond);
    (void) pthread_mutex_destroy(&disk->mutex);

    ngx_free(disk);
}


void
ngx_olivine_disk_post(ngx_olivine_disk_t *disk, ngx_olivine_disk_job_t *job)
{
    if (!disk->running && ngx_olivine_disk_start(disk) != NGX_OK) {
        job->run(job->data);
        job->done(job->data);
        return;
    }

    (void) pthread_mutex_lock(&disk->mutex);
    ngx_olivine_disk_push(&disk->posted, job);
    (void) pthread_mutex_unlock(&disk->mutex);

    (void) pthread_cond_signal(&disk->cond);
}


void
ngx_olivine_disk_reap(ngx_olivine_disk_t *disk)
{
    ngx_olivine_disk_job_t  *job;

    for ( ;; ) {
        (void) pthread_mutex_lock(&disk->mutex);
        job = ngx_olivine_disk_take(&disk->done);
        (void) pthread_mutex_unlock(&disk->mutex);

        if (job == NULL) {
            return;
        }

        job->done(job->data);
    }
}


/* Signals are the loop's. */

static ngx_int_t
ngx_olivine_disk_start(ngx_olivine_disk_t *disk)
{
    int             err;
    sigset_t        all, old;
    pthread_attr_t  attr;

    (void) sigfillset(&all);

    err = pthread_attr_init(&attr);

    if (err == 0) {
        (void) pthread_attr_setstacksize(&attr, NGX_OLIVINE_DISK_STACK);
        (void) pthread_sigmask(SIG_SETMASK, &all, &old);

        err = pthread_create(&disk->thread, &attr, ngx_olivine_disk_thread,
                             disk);

        (void) pthread_sigmask(SIG_SETMASK, &old, NULL);
        (void) pthread_attr_destroy(&attr);
    }

    if (err) {
        ngx_log_error(NGX_LOG_ALERT, disk->log, err,
                      "olivine: no thread for the disk, pthread_create() "
                      "failed");
        return NGX_ERROR;
    }

    disk->running = 1;

    return NGX_OK;
}


static void *
ngx_olivine_disk_thread(void *data)
{
    ngx_olivine_disk_t *disk = data;

    ngx_olivine_disk_job_t  *job;

    (void) pthread_mutex_lock(&disk->mutex);

    for ( ;; ) {
        job = ngx_olivine_disk_take(&disk->posted);

        if (job) {
            (void) pthread_mutex_unlock(&disk->mutex);

            job->run(job->data);

            (void) pthread_mutex_lock(&disk->mutex);
            ngx_olivine_disk_push(&disk->done, job);
            (void) pthread_mutex_unlock(&disk->mutex);

            ngx_olivine_slot_ring(disk->zone, disk->slot,
                                  NGX_OLIVINE_HINT_DISK);

            (void) pthread_mutex_lock(&disk->mutex);
            continue;
        }

        if (disk->ending) {
            break;
        }

        (void) pthread_cond_wait(&disk->cond, &disk->mutex);
    }

    (void) pthread_mutex_unlock(&disk->mutex);

    return NULL;
}


static void
ngx_olivine_disk_push(ngx_olivine_disk_list_t *list,
    ngx_olivine_disk_job_t *job)
{
    job->next = NULL;
    *list->last = job;
    list->last = &job->next;
}


static ngx_olivine_disk_job_t *
ngx_olivine_disk_take(ngx_olivine_disk_list_t *list)
{
    ngx_olivine_disk_job_t  *job;

    job = list->head;

    if (job) {
        list->head = job->next;

        if (list->head == NULL) {
            list->last = &list->head;
        }
    }

    return job;
}
