
/*
 * Copyright (C) The Olivine authors
 *
 * A directive that may or may not have a block.
 *
 * nginx's parser looks at a directive's type before it calls its handler: one
 * with NGX_CONF_BLOCK must have a block, one without must not, and no two
 * rows of a name are tried in turn.  So the text of the configuration is
 * looked through beforehand, and the type set before each directive to what
 * will come.
 *
 * Only words, quotes, comments and includes are understood.  What cannot be
 * read here is passed over: nginx finds it again, and has the better words.
 */


#ifndef _NGX_OLIVINE_FORMS_H_INCLUDED_
#define _NGX_OLIVINE_FORMS_H_INCLUDED_


#include "base/ngx_olivine_base.h"


/*
 * Appends a byte to forms for each directive of that name, in the order in
 * which nginx will meet them: 1 if it has a block, else 0.  OK or ERROR (no
 * memory).
 */
ngx_int_t ngx_olivine_forms_read(ngx_conf_t *cf, ngx_str_t *name,
    ngx_array_t *forms);


#endif /* _NGX_OLIVINE_FORMS_H_INCLUDED_ */
