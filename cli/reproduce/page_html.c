/* The pages as HTML. */
#include "reproduce/reproduce.h"

int vv_repro_write_html(const vv_repro *r) { (void)r; return VV_EXIT_OK; }
