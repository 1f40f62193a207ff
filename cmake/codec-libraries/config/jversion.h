/* libjpeg-turbo: texts of two messages that are never shown. */
#define JVERSION "6b"
#define JCOPYRIGHT_SHORT ""
