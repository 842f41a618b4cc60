
/*
 * Copyright (C) The Olivine authors
 *
 * LOLWUT: an olive branch, another one each time.
 */


#include "command/ngx_olivine_cmd.h"


#define NGX_OLIVINE_LOLWUT_ROWS     9
#define NGX_OLIVINE_LOLWUT_COLUMNS  60
#define NGX_OLIVINE_LOLWUT_MIN      20
#define NGX_OLIVINE_LOLWUT_MAX      160

/* where the branch stays, so that leaves have room */
#define NGX_OLIVINE_LOLWUT_HIGH     3
#define NGX_OLIVINE_LOLWUT_LOW      5


typedef struct {
    uint64_t    chance;
    ngx_uint_t  columns;
    u_char      cells[NGX_OLIVINE_LOLWUT_ROWS][NGX_OLIVINE_LOLWUT_MAX];
} ngx_olivine_lolwut_t;


static void ngx_olivine_lolwut_branch(ngx_olivine_lolwut_t *l);
static void ngx_olivine_lolwut_leaf(ngx_olivine_lolwut_t *l, ngx_uint_t x,
    ngx_uint_t y, ngx_uint_t up);
static void ngx_olivine_lolwut_olive(ngx_olivine_lolwut_t *l, ngx_uint_t x,
    ngx_uint_t y);
static void ngx_olivine_lolwut_put(ngx_olivine_lolwut_t *l, ngx_uint_t x,
    ngx_uint_t y, const char *text);
static ngx_uint_t ngx_olivine_lolwut_random(ngx_olivine_lolwut_t *l,
    ngx_uint_t n);


/*
 * LOLWUT [VERSION n] [columns]; as in Redis other words behind a version are
 * to be numbers, and a version without a drawing is none.
 */

ngx_int_t
ngx_olivine_cmd_lolwut(ngx_olivine_cx_t *cx)
{
    u_char                text[(NGX_OLIVINE_LOLWUT_MAX + 1)
                               * NGX_OLIVINE_LOLWUT_ROWS + 128];
    u_char               *p;
    int64_t               n, version;
    ngx_uint_t            i, y, used;
    ngx_olivine_lolwut_t  l;

    version = 8;
    l.columns = NGX_OLIVINE_LOLWUT_COLUMNS;

    if (cx->argc > 2 && ngx_olivine_cx_is(cx, 1, "version")) {

        if (ngx_olivine_cx_integer(cx, 2, &version) != NGX_OK) {
            return NGX_ERROR;
        }

        for (i = 3; i < cx->argc; i++) {

            if (ngx_olivine_cx_integer(cx, i, &n) != NGX_OK) {
                return NGX_ERROR;
            }

            if (i == 3) {
                n = ngx_max(n, NGX_OLIVINE_LOLWUT_MIN);
                l.columns = ngx_min(n, NGX_OLIVINE_LOLWUT_MAX);
            }
        }
    }

    p = text;

    if (version >= 5 && version <= 8) {

        l.chance = (uint64_t) cx->now_us * 2 + 1;
        ngx_memset(l.cells, ' ', sizeof(l.cells));
        ngx_olivine_lolwut_branch(&l);

        for (y = 0; y < NGX_OLIVINE_LOLWUT_ROWS; y++) {

            for (used = l.columns; used; used--) {
                if (l.cells[y][used - 1] != ' ') {
                    break;
                }
            }

            p = ngx_cpymem(p, l.cells[y], used);
            *p++ = LF;
        }

        p = ngx_cpymem(p, "\nAn olive branch. ", 18);
    }

    p = ngx_slprintf(p, text + sizeof(text),
                     "Olivine ver. " NGX_OLIVINE_VERSION
                     ", Redis ver. " NGX_OLIVINE_REDIS_VERSION "\n");

    return ngx_olivine_reply_verbatim(cx->reply, "txt", text, p - text);
}


static void
ngx_olivine_lolwut_branch(ngx_olivine_lolwut_t *l)
{
    ngx_uint_t  x, y, up;

    y = NGX_OLIVINE_LOLWUT_HIGH
        + ngx_olivine_lolwut_random(l, NGX_OLIVINE_LOLWUT_LOW
                                       - NGX_OLIVINE_LOLWUT_HIGH + 1);
    up = ngx_olivine_lolwut_random(l, 2);

    for (x = 0; x < l->columns; x++) {

        if (x % 7 == 5 && y > NGX_OLIVINE_LOLWUT_HIGH
            && ngx_olivine_lolwut_random(l, 3) == 0)
        {
            ngx_olivine_lolwut_put(l, x, y--, "'");
            continue;
        }

        if (x % 7 == 5 && y < NGX_OLIVINE_LOLWUT_LOW
            && ngx_olivine_lolwut_random(l, 3) == 0)
        {
            ngx_olivine_lolwut_put(l, x, y++, ".");
            continue;
        }

        ngx_olivine_lolwut_put(l, x, y, x % 7 == 0 ? "=" : "-");

        if (x % 7 == 0 && x + 4 < l->columns) {
            ngx_olivine_lolwut_leaf(l, x, y, up);

            if (up && ngx_olivine_lolwut_random(l, 2)) {
                ngx_olivine_lolwut_olive(l, x + 1, y);
            }

            up = !up;
        }
    }
}


static void
ngx_olivine_lolwut_leaf(ngx_olivine_lolwut_t *l, ngx_uint_t x, ngx_uint_t y,
    ngx_uint_t up)
{
    if (up) {
        ngx_olivine_lolwut_put(l, x, y - 1, "/_/");
        ngx_olivine_lolwut_put(l, x + 1, y - 2, "/ /");
        ngx_olivine_lolwut_put(l, x + 2, y - 3, "__");
        return;
    }

    ngx_olivine_lolwut_put(l, x, y + 1, "\\ \\");
    ngx_olivine_lolwut_put(l, x + 1, y + 2, "\\_\\");
}


static void
ngx_olivine_lolwut_olive(ngx_olivine_lolwut_t *l, ngx_uint_t x, ngx_uint_t y)
{
    ngx_olivine_lolwut_put(l, x + 1, y + 1, "|");
    ngx_olivine_lolwut_put(l, x, y + 2, "(_)");
}


static void
ngx_olivine_lolwut_put(ngx_olivine_lolwut_t *l, ngx_uint_t x, ngx_uint_t y,
    const char *text)
{
    for ( /* void */ ; *text && x < l->columns; text++, x++) {
        l->cells[y][x] = *text;
    }
}


/* less than n; xorshift is chance enough for leaves */

static ngx_uint_t
ngx_olivine_lolwut_random(ngx_olivine_lolwut_t *l, ngx_uint_t n)
{
    l->chance ^= l->chance << 13;
    l->chance ^= l->chance >> 7;
    l->chance ^= l->chance << 17;

    return (l->chance >> 16) % n;
}
