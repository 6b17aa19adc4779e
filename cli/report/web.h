/* The files of web/report, which the build puts into the program as texts (cmake/embed.cmake). */
#ifndef VV_CLI_REPORT_WEB_H
#define VV_CLI_REPORT_WEB_H

extern const unsigned char vv_web_page[], vv_web_style[], vv_web_library[], vv_web_script[]; /* end in a zero */

#endif
