
/*
 * Copyright (C) The Olivine authors
 */


#include "http/ngx_http_olivine_access.h"


#define NGX_HTTP_OLIVINE_ACCESS_MODULE  "ngx_http_access_module"


/*
 * A location's configuration in ngx_http_access_module, which no header has:
 * its first words, since these directives know three kinds of addresses.
 */
typedef struct {
    ngx_array_t  *rules;
#if (NGX_HAVE_INET6)
    ngx_array_t  *rules6;
#endif
#if (NGX_HAVE_UNIX_DOMAIN)
    ngx_array_t  *rules_un;
#endif
} ngx_http_olivine_access_rules_t;


static ngx_http_olivine_access_rules_t *ngx_http_olivine_access_rules(
    ngx_http_request_t *r);


ngx_uint_t
ngx_http_olivine_access(ngx_http_request_t *r)
{
    in_addr_t                         addr;
    struct sockaddr                  *sa;
    ngx_http_olivine_access_rules_t  *rules;
#if (NGX_HAVE_INET6)
    u_char                           *p;
    struct in6_addr                  *addr6;
#endif

    sa = r->connection->sockaddr;
    rules = ngx_http_olivine_access_rules(r);

    switch (sa->sa_family) {

    case AF_INET:
        addr = ((struct sockaddr_in *) sa)->sin_addr.s_addr;
        break;

#if (NGX_HAVE_INET6)

    case AF_INET6:
        addr6 = &((struct sockaddr_in6 *) sa)->sin6_addr;

        if (!IN6_IS_ADDR_V4MAPPED(addr6)) {
            return IN6_IS_ADDR_LOOPBACK(addr6) || (rules && rules->rules6);
        }

        p = addr6->s6_addr;
        ngx_memcpy(&addr, p + 12, sizeof(in_addr_t));
        break;

#endif

#if (NGX_HAVE_UNIX_DOMAIN)

    case AF_UNIX:
        return 1;

#endif

    default:
        return 0;
    }

    return (ntohl(addr) >> 24) == 127 || (rules && rules->rules);
}


/* By its name: an nginx may have been built without it. */

static ngx_http_olivine_access_rules_t *
ngx_http_olivine_access_rules(ngx_http_request_t *r)
{
    ngx_uint_t      i;
    ngx_module_t  **modules;

    modules = ngx_cycle->modules;

    for (i = 0; modules[i]; i++) {
        if (modules[i]->type == NGX_HTTP_MODULE
            && ngx_strcmp(modules[i]->name, NGX_HTTP_OLIVINE_ACCESS_MODULE)
               == 0)
        {
            return r->loc_conf[modules[i]->ctx_index];
        }
    }

    return NULL;
}
