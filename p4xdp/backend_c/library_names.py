"""Names that C's and POSIX's headers declare; a global name of ours must not be one of them."""

from __future__ import annotations

import re

FUNCTIONS = frozenset(
    """
    a64l abort abs accept accept4 access acct acos acosh alarm aligned_alloc arc4random
    arc4random_buf arc4random_uniform asctime asin asinh asprintf atan atan2 atanh atof atoi
    atol basename bcmp bcopy bind bindresvport brk bsearch bzero cabs cacos cacosh calloc
    canonicalize_file_name carg casin casinh catan catanh cbrt ccos ccosh ceil cexp chdir chmod
    chown chroot cimag clearenv clearerr clock clock_adjtime clock_getcpuclockid clock_getres
    clock_gettime clock_nanosleep clock_settime clog clog10 close close_range closefrom confstr
    conj connect copy_file_range copysign cos cosh cpow cproj creal creat csin csinh csqrt ctan
    ctanh ctermid ctime cuserid daemon dcgettext dgettext difftime div dprintf drand48 drem dup
    dup2 dup3 dysize eaccess ecvt endusershell erand48 erf erfc euidaccess execl execle execlp
    execv execve execveat execvp execvpe exit exp exp10 exp2 explicit_bzero expm1 fabs faccessat
    fallocate fchdir fchmod fchmodat fchown fchownat fclose fcloseall fcntl fcvt fd_mask
    fdatasync fdim fdopen feclearexcept fegetenv fegetexceptflag fegetround feholdexcept feof
    feraiseexcept ferror fesetenv fesetexceptflag fesetround fetestexcept feupdateenv fexecve
    fflush ffs fgetc fgetpos fgets fileno finite flock flockfile floor fma fmax fmemopen fmin
    fmod fopen fopencookie fork fpathconf fprintf fputc fputs fread free freopen frexp fscanf
    fseek fseeko fsetpos fstat fstatat fsync ftell ftello ftruncate ftrylockfile funlockfile
    futimens fwrite gamma gcvt get_current_dir_name getc getchar getcwd getdate getdelim
    getdomainname getdtablesize getegid getentropy getenv geteuid getgid getgroups gethostid
    gethostname getipv4sourcefilter getline getloadavg getlogin getopt getpagesize getpass
    getpeername getpgid getpgrp getpid getppid getpt getresgid getresuid getsid getsockname
    getsockopt getsourcefilter getsubopt gettext gettid getuid getusershell getw getwd gmtime
    grantpt group_member gsignal htonl htons hypot if_freenameindex if_indextoname if_nameindex
    if_nametoindex ilogb imaxabs index inet6_opt_append inet6_opt_find inet6_opt_finish
    inet6_opt_get_val inet6_opt_init inet6_opt_next inet6_opt_set_val inet6_option_alloc
    inet6_option_append inet6_option_find inet6_option_init inet6_option_next inet6_option_space
    inet6_rth_add inet6_rth_getaddr inet6_rth_init inet6_rth_reverse inet6_rth_segments
    inet6_rth_space inet_addr inet_aton inet_lnaof inet_makeaddr inet_netof inet_network
    inet_nsap_addr inet_nsap_ntoa inet_ntoa inet_ntop inet_pton initstate isalnum isalnum_l
    isalpha isalpha_l isascii isatty isblank isblank_l iscntrl iscntrl_l isctype isdigit
    isdigit_l isfdtype isgraph isgraph_l isinf islower islower_l isnan isprint isprint_l ispunct
    ispunct_l isspace isspace_l isupper isupper_l iswalnum iswalpha iswblank iswcntrl iswdigit
    iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit isxdigit_l j0 j1 jn
    jrand48 kill killpg l64a labs lchmod lchown lcong48 ldexp ldiv lgamma link linkat listen
    llabs lldiv llrint llround localtime lockf log log10 log1p log2 logb lrand48 lrint lround
    lseek lstat madvise malloc mblen mbstowcs mbtowc memalign memccpy memchr memcmp memcpy
    memfd_create memfrob memmem memmove mempcpy memrchr memset mincore mkdir mkdirat mkdtemp
    mkfifo mkfifoat mknod mknodat mkostemp mkostemps mkstemp mkstemps mktemp mktime mlock mlock2
    mlockall mmap modf mprotect mrand48 mremap msync munlock munlockall munmap name_to_handle_at
    nan nanosleep nearbyint nextafter nexttoward nice nrand48 ntohl ntohs obstack_printf
    obstack_vprintf on_exit open open_by_handle_at open_memstream openat pathconf pause pclose
    perror pipe pipe2 pkey_alloc pkey_free pkey_get pkey_mprotect pkey_set poll popen
    posix_fadvise posix_fallocate posix_madvise posix_memalign posix_openpt pow pow10 ppoll
    pread printf process_madvise process_mrelease profil pselect psiginfo psignal pthread_kill
    pthread_sigmask pthread_sigqueue ptsname putc putchar putenv puts putw pwrite qecvt qfcvt
    qgcvt qsort quick_exit raise rand random rawmemchr read readahead readlink readlinkat
    realloc reallocarray realpath recv recvfrom recvmmsg recvmsg remainder remap_file_pages
    remove remquo rename renameat renameat2 revoke rewind rindex rint rmdir round roundeven
    rpmatch sbrk scalb scalbln scalbn scanf secure_getenv seed48 select send sendmmsg sendmsg
    sendto setbuf setbuffer setdomainname setegid setenv seteuid setgid sethostid sethostname
    setipv4sourcefilter setlinebuf setlogin setpgid setpgrp setregid setresgid setresuid
    setreuid setsid setsockopt setsourcefilter setstate setuid setusershell setvbuf shm_open
    shm_unlink shutdown sigaction sigaddset sigaltstack sigandset sigblock sigdelset sigemptyset
    sigfillset siggetmask sighold sigignore siginterrupt sigisemptyset sigismember signal
    significand sigorset sigpause sigpending sigprocmask sigqueue sigrelse sigreturn sigset
    sigsetmask sigstack sigsuspend sigtimedwait sigwait sigwaitinfo sin sincos sinh sleep
    snprintf sockatmark socket socketpair splice sprintf sqrt srand srand48 srandom sscanf
    ssignal stat statx stpcpy stpncpy strcasecmp strcasecmp_l strcasestr strcat strchr strchrnul
    strcmp strcoll strcoll_l strcpy strcspn strdup strerror strerror_l strfmon strfromd strfromf
    strfroml strfry strftime strftime_l strlen strncasecmp strncasecmp_l strncat strncmp strncpy
    strndup strnlen strpbrk strptime strptime_l strrchr strsep strsignal strspn strstr strtod
    strtod_l strtof strtof128_l strtof32_l strtof32x_l strtof64_l strtof64x_l strtof_l strtok
    strtol strtol_l strtold strtold_l strtoll_l strtoq strtoul strtoul_l strtoull_l strtouq
    strverscmp strxfrm strxfrm_l swab symlink symlinkat sync sync_file_range syncfs syscall
    sysconf system sysv_signal tan tanh tcgetpgrp tcsetpgrp tee tempnam tgamma tgkill time
    timegm timelocal timer_create timer_delete timer_getoverrun timer_gettime timer_settime
    timespec_get timespec_getres tmpfile tmpnam toascii tolower tolower_l toupper toupper_l
    towlower towupper trunc truncate ttyname ttyslot tzset u_char u_int u_long u_short ualarm
    uint ulong umask ungetc unlink unlinkat unlockpt unsetenv ushort usleep utimensat va_list
    valloc vasprintf vdprintf vfork vfprintf vfscanf vhangup vmsplice vprintf vscanf vsnprintf
    vsprintf vsscanf wcschr wcscmp wcslen wcsncmp wcstombs wctomb wmemchr wmemcmp wmemcpy
    wmemmove write y0 y1 yn
    """.split()
)
"""Functions and types, without their variants; compilers know many of them with no header."""

VARIANT = re.compile(r"(.+?)(?:f|l|64|_r|_unlocked|_np)")


def is_library_name(name: str) -> bool:
    """Tell whether a header declares `name`, or may: POSIX keeps `..._t` for itself."""
    variant = VARIANT.fullmatch(name)
    base = variant.group(1) if variant else name
    return name.endswith("_t") or name in FUNCTIONS or base in FUNCTIONS
