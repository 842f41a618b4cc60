
/*
 * Copyright (C) The Olivine authors
 *
 * A client's input buffer, and big arguments on their way into the zone.
 *
 * A buffer belongs to a client only while it holds bytes of an unfinished
 * command or of parked ones; otherwise all clients of a worker share one.  A
 * small remainder is kept in an allocation of its size.
 */


#ifndef _NGX_OLIVINE_INPUT_H_INCLUDED_
#define _NGX_OLIVINE_INPUT_H_INCLUDED_


#include "client/ngx_olivine_client.h"


/* Gives back buffers, an incomplete command, parked ones. */
void ngx_olivine_input_free(ngx_olivine_client_t *client);

/* After a turn: keeps what is unfinished in as little memory as it takes. */
ngx_int_t ngx_olivine_input_trim(ngx_olivine_client_t *client);

/*
 * The parser met a big argument (BUSY): what there is of it is moved into a
 * run of the zone, the rest will be received there.  OK, or AGAIN (the gate).
 */
ngx_int_t ngx_olivine_input_big(ngx_olivine_client_t *client);

/* The big argument is whole: hands it to the parser.  OK or ERROR. */
ngx_int_t ngx_olivine_input_done(ngx_olivine_client_t *client);

/* Gives up runs of arguments that no command made values of. */
void ngx_olivine_input_runs(ngx_olivine_client_t *client,
    ngx_olivine_arg_t *argv, ngx_uint_t argc);

/* Bytes went to or fro: it is not idle.  The tick's clock is good enough. */
#define ngx_olivine_client_seen(client)                                       \
    (client)->caller.row->seen = ngx_max((client)->caller.row->seen,          \
                                         (client)->worker->wall)

/* Looks that the replies waiting are within the limits.  OK or ERROR. */
ngx_int_t ngx_olivine_client_output(ngx_olivine_client_t *client,
    int64_t now);


#endif /* _NGX_OLIVINE_INPUT_H_INCLUDED_ */
