/* Plots, by gnuplot. */
#include "reproduce/reproduce.h"

int vv_repro_plots_check(const vv_repro_item *item) { (void)item; return VV_CLI_GO; }
int vv_repro_plots_draw(const vv_repro *r, const vv_repro_paper *paper, vv_repro_item *item) { (void)r; (void)paper; (void)item; return VV_EXIT_OK; }
