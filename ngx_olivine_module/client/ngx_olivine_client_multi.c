
/*
 * Copyright (C) The Olivine authors
 *
 * What a client's transaction leaves behind.
 */


#include "client/ngx_olivine_client_multi.h"
#include "client/ngx_olivine_input.h"


void
ngx_olivine_client_spent(ngx_olivine_client_t *client)
{
    ngx_uint_t            i;
    ngx_olivine_cx_t     *cx;
    ngx_olivine_multi_t  *multi;

    cx = &client->worker->cx;

    while (cx->spent) {
        multi = cx->spent;
        cx->spent = multi->next;

        for (i = 0; multi->runs && i < multi->n; i++) {
            ngx_olivine_input_runs(client, multi->queue[i].argv,
                                   multi->queue[i].argc);
        }

        ngx_olivine_multi_free(cx, multi);
    }
}


void
ngx_olivine_client_forget(ngx_olivine_client_t *client)
{
    ngx_olivine_cx_t      *cx;
    ngx_olivine_worker_t  *worker;

    worker = client->worker;
    cx = &worker->cx;

    if (client->caller.watched) {
        cx->reply = &worker->sink;
        cx->caller = &worker->self;

        ngx_olivine_multi_unwatch(cx, &client->caller);
    }

    if (client->caller.multi) {
        ngx_olivine_multi_end(cx, &client->caller);
        ngx_olivine_client_spent(client);
    }
}
