
# Read by nginx's configure: what is made before the addon is compiled.

cat <<END >>$NGX_MAKEFILE

$NGX_OBJS/olivine_page.h: $ngx_addon_dir/ngx_olivine_module/http/page/*
	$ngx_addon_dir/ngx_olivine_module/http/page/embed >\$@.new
	mv \$@.new \$@

$NGX_OBJS/addon/http/ngx_http_olivine_status.o: $NGX_OBJS/olivine_page.h

END
