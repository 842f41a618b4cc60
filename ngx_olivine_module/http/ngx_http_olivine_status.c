
/*
 * Copyright (C) The Olivine authors
 *
 * The status page.
 */


#include "http/ngx_http_olivine_pages.h"


ngx_int_t
ngx_http_olivine_status(ngx_http_olivine_answer_t *answer)
{
    ngx_olivine_zone_t  *zone;

    if (answer->path.len) {
        return NGX_DECLINED;
    }

    zone = answer->worker->zone;

    ngx_str_set(&answer->type, "text/html; charset=utf-8");

    ngx_http_olivine_print(answer,
        "<!DOCTYPE html>\n"
        "<html lang=\"en\">\n"
        "<head><title>Olivine: %s</title></head>\n"
        "<body>\n"
        "<h1>Olivine " NGX_OLIVINE_VERSION "</h1>\n"
        "<p>Zone \"%s\", %uz bytes in use.</p>\n"
        "</body>\n"
        "</html>\n", zone->name, zone->name, ngx_olivine_zone_used(zone));

    return NGX_OK;
}
