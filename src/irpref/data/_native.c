/* Ids read from where they are stored, many at once.

   What `irpref.formats.texts` hands in: arrays of its own, whose sizes it has checked, and texts that are UTF-8, whose
   bytes are in the order of the characters. What is not as plain as that is refused by returning None, and read by Python
   code: that code says what is right, and is the oracle of the tests.

   No function here keeps anything, and none decides what a value is but `plain_number`, whose results are those of
   correct rounding. Limited API: one file serves all versions of Python. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD 12 /* objects fetched while one is read */
#define SOME 128 /* entries of a dict fetched at a time */
#define LONGEST 512 /* characters of a number that is left to Python */

#ifdef _MSC_VER
#include <intrin.h>
#endif
#ifdef __GNUC__
#define PREFETCH(of) __builtin_prefetch(of)
#else
#define PREFETCH(of) ((void)(of))
#endif

/* Arrays ------------------------------------------------------------------------------------------------------- */

typedef struct {
    Py_buffer view;
    char *data;
    Py_ssize_t size; /* items */
} Array;

/* A contiguous array of items of so many bytes; -1 with an exception where it is none. */
static int
array(PyObject *of, Py_ssize_t itemsize, int writable, Array *out)
{
    if (PyObject_GetBuffer(of, &out->view, writable ? PyBUF_CONTIG : PyBUF_CONTIG_RO) < 0)
        return -1;
    if (out->view.itemsize != itemsize) {
        PyErr_Format(PyExc_TypeError, "expected items of %zd bytes, got %zd", itemsize, out->view.itemsize);
        PyBuffer_Release(&out->view);
        return -1;
    }
    out->data = out->view.buf;
    out->size = out->view.len / itemsize;
    return 0;
}

static void
release(Array *arrays, int n)
{
    while (n--)
        PyBuffer_Release(&arrays[n].view);
}

/* Several arrays; -1 with an exception, and none of them held. */
static int
all_arrays(PyObject *const *args, const Py_ssize_t *itemsizes, const char *writable, int n, Array *out)
{
    for (int i = 0; i < n; i++)
        if (array(args[i], itemsizes[i], writable[i] == 'w', &out[i]) < 0) {
            release(out, i);
            return -1;
        }
    return 0;
}

/* Texts: one piece of memory, where each begins, and how long it is. */
typedef struct {
    const char *data;
    Py_ssize_t n_bytes;
    const int64_t *at;
    const int32_t *length;
    Py_ssize_t size;
} Texts;

static int
texts_of(const Array *three, Texts *out)
{
    *out = (Texts){three[0].data, three[0].size, (const int64_t *)three[1].data, (const int32_t *)three[2].data,
                   three[1].size};
    if (three[2].size == three[1].size)
        return 0;
    PyErr_SetString(PyExc_ValueError, "as many beginnings as lengths");
    return -1;
}

static inline int
inside(const Texts *of, int64_t row)
{
    return row >= 0 && row < of->size && of->at[row] >= 0 && of->length[row] >= 0
           && of->length[row] <= of->n_bytes - of->at[row];
}

static inline int
equal(const Texts *one, int64_t row, const Texts *other, int64_t its)
{
    return inside(one, row) && inside(other, its) && one->length[row] == other->length[its]
           && memcmp(one->data + one->at[row], other->data + other->at[its], one->length[row]) == 0;
}

/* Hash --------------------------------------------------------------------------------------------------------- */

static inline uint64_t
hash_of(const char *text, Py_ssize_t length)
{
    uint64_t found = (uint64_t)length * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u, word = 0;
    const char *end = text + length;
    for (; end - text > 8; text += 8) {
        memcpy(&word, text, 8);
        found = (found ^ word) * 0xD6E8FEB86659FD93u;
        found ^= found >> 32;
    }
    if (length >= 8) /* the last eight, some of them again */
        memcpy(&word, end - 8, 8);
    else if (length >= 4) {
        uint32_t first, last;
        memcpy(&first, text, 4);
        memcpy(&last, end - 4, 4);
        word = (uint64_t)first << 32 | last;
    } else if (length > 0)
        word = (uint64_t)(unsigned char)text[0] << 16 | (uint64_t)(unsigned char)text[length / 2] << 8 | (unsigned char)end[-1];
    found = (found ^ word) * 0xD6E8FEB86659FD93u;
    found ^= found >> 32;
    found *= 0xA0761D6478BD642Fu;
    return found ^ found >> 29;
}

/* Numbers ------------------------------------------------------------------------------------------------------ */

static const double TENS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#ifdef __SIZEOF_INT128__
typedef unsigned __int128 wide;

static inline int
bits_of(uint64_t value)
{
    return value ? 64 - __builtin_clzll(value) : 0;
}

/* digits / 10^power, rounded to the nearest double, ties to even; digits > 0, 0 < power < 20. */
static double
quotient(uint64_t digits, int power)
{
    uint64_t divisor = 1;
    for (int i = 0; i < power; i++)
        divisor *= 10;
    int shift = 63 - bits_of(digits) + bits_of(divisor);
    wide dividend = (wide)digits << shift;
    uint64_t found = (uint64_t)(dividend / divisor), rest = (uint64_t)(dividend % divisor);
    int drop = bits_of(found) - 53; /* 9 to 11 */
    uint64_t half = (uint64_t)1 << (drop - 1), dropped = found & ((half << 1) - 1);
    found >>= drop;
    if (dropped > half || (dropped == half && (rest || (found & 1))))
        found++;
    return ldexp((double)found, drop - shift);
}
#endif

enum { NO_NUMBER, NUMBER, FOR_PYTHON };

/* A decimal number: whether it is one, and its value unless that is left to Python. */
static int
plain_number(const char *text, Py_ssize_t length, double *out)
{
    const char *end = text + length;
    int minus = text < end && *text == '-';
    if (minus || (text < end && *text == '+'))
        text++;
    uint64_t digits = 0;
    int64_t power = 0;
    int n = 0, any = 0, many = 0, point = 0;
    for (; text < end; text++) {
        unsigned digit = (unsigned char)*text - '0';
        if (digit < 10) {
            any = 1;
            power -= point;
            if (n || digit) {
                if (++n > 19)
                    many = 1;
                else
                    digits = digits * 10 + digit;
            }
        } else if (*text == '.' && !point)
            point = 1;
        else
            break;
    }
    if (!any)
        return NO_NUMBER;
    if (text < end) {
        if ((*text | 32) != 'e' || ++text == end)
            return NO_NUMBER;
        int down = *text == '-';
        if (down || *text == '+')
            text++;
        if (text == end)
            return NO_NUMBER;
        int64_t written = 0;
        for (; text < end; text++) {
            unsigned digit = (unsigned char)*text - '0';
            if (digit > 9)
                return NO_NUMBER;
            if (written < 100000)
                written = written * 10 + digit;
        }
        power += down ? -written : written;
    }
    double value;
    if (many)
        return FOR_PYTHON;
    if (!digits)
        value = 0.0;
    else if (digits >> 53 == 0 && power >= -22 && power <= 22)
        value = power < 0 ? (double)digits / TENS[-power] : (double)digits * TENS[power];
#ifdef __SIZEOF_INT128__
    else if (power < 0 && power > -20)
        value = quotient(digits, (int)-power);
#endif
    else
        return FOR_PYTHON;
    *out = minus ? -value : value;
    return NUMBER;
}

/* Lines -------------------------------------------------------------------------------------------------------- */

/* A number for Python. */
typedef struct {
    Py_ssize_t row;
    const char *text;
    Py_ssize_t length;
} Left;

typedef struct {
    Left *items;
    Py_ssize_t n, room;
} Lefts;

static int
later(Lefts *left, Left one)
{
    if (left->n == left->room) {
        Py_ssize_t room = left->room ? left->room * 2 : 64;
        Left *more = realloc(left->items, room * sizeof(Left));
        if (!more)
            return 0;
        left->items = more;
        left->room = room;
    }
    left->items[left->n++] = one;
    return 1;
}

/* Which of 64 bytes are below 33 (white space, in what is plain), the first as the lowest bit. The bits of all of them
   are added to `seen`. */
static inline uint64_t
gaps(const char *text, uint64_t *seen)
{
    uint64_t found = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (int i = 0; i < 64; i++) {
        found |= (uint64_t)((unsigned char)text[i] < 33) << i;
        *seen |= (unsigned char)text[i];
    }
#else
    const uint64_t ones = 0x0101010101010101u, highest = ones << 7;
    for (int i = 0; i < 64; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, 8);
        *seen |= word;
        /* With the highest bit set, no byte borrows from the next; it stays set unless the rest is below 33. Bytes that had
           it before are parts of characters. */
        word = ~(((word | highest) - ones * 33) | word) & highest;
        found |= (word >> 7) * 0x0102040810204080u >> 56 << i; /* one bit for each byte */
    }
#endif
    return found;
}

static inline int
lowest_bit(uint64_t of)
{
#ifdef _MSC_VER
    unsigned long found;
    _BitScanForward64(&found, of);
    return (int)found;
#else
    return __builtin_ctzll(of);
#endif
}

/* lines(data, n, text_field, number_field, at, length, hash, number, begin, topic_at, topic_length)

   Lines of n fields, fields separated by blanks or tabs, the first of them the topic. Fills for each row where the
   text begins, its length, its hash and the number; for each stretch of one topic the row it begins at and the topic's
   text. Returns (n_rows, n_stretches, whether all is ASCII), or None where some line is not plain. */
static PyObject *
lines(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    static const Py_ssize_t SIZES[] = {1, 8, 4, 8, 8, 8, 8, 4};
    if (n_args != 11) {
        PyErr_SetString(PyExc_TypeError, "lines takes 11 arguments");
        return NULL;
    }
    long n = PyLong_AsLong(args[1]), text_field = PyLong_AsLong(args[2]), number_field = PyLong_AsLong(args[3]);
    if (PyErr_Occurred())
        return NULL;
    PyObject *given[8] = {args[0], args[4], args[5], args[6], args[7], args[8], args[9], args[10]};
    Array a[8];
    if (all_arrays(given, SIZES, "rwwwwwww", 8, a) < 0)
        return NULL;
    Py_ssize_t room = a[1].size, row = 0, stretches = 0;
    for (int i = 2; i < 8; i++)
        room = a[i].size < room ? a[i].size : room;
    int64_t *at = (int64_t *)a[1].data, *begin = (int64_t *)a[5].data, *topic_at = (int64_t *)a[6].data;
    int32_t *length = (int32_t *)a[2].data, *topic_length = (int32_t *)a[7].data;
    uint64_t *hash = (uint64_t *)a[3].data;
    double *number = (double *)a[4].data;
    const char *data = a[0].data, *end = data + a[0].size, *first = data, *line = data, *topic = NULL;
    Py_ssize_t topic_size = 0;
    Lefts left = {NULL, 0, 0};
    int plain = 1;
    long field = 0;
    uint64_t seen = 0;

    Py_BEGIN_ALLOW_THREADS
    for (const char *block = data; block < end && plain; block += 64) {
        char last[64];
        const char *text = block;
        int is_last = end - block <= 64;
        if (is_last) { /* nothing is read behind the end, where a line ends in any case */
            memset(last, 'x', 64);
            memcpy(last, block, end - block);
            text = last;
        }
        uint64_t found = gaps(text, &seen);
        for (int more = 1; plain && more; ) {
            const char *p;
            char gap;
            if (found) {
                p = block + lowest_bit(found);
                gap = *p;
                found &= found - 1;
            } else if (is_last && line < end) {
                p = end;
                gap = '\n';
                more = 0;
            } else
                break;
            Py_ssize_t size = p - first;
            if (size) {
                if (field == 0) {
                    plain = row < room && *first != '#' && !(size >= 3 && memcmp(first, "\xef\xbb\xbf", 3) == 0);
                    if (plain && !(topic && size == topic_size && memcmp(first, topic, size) == 0)) {
                        begin[stretches] = row;
                        topic_at[stretches] = first - data;
                        topic_length[stretches++] = (int32_t)size;
                        topic = first;
                        topic_size = size;
                    }
                }
                plain = plain && size <= INT32_MAX && field < n;
                if (plain && field == text_field) {
                    at[row] = first - data;
                    length[row] = (int32_t)size;
                    hash[row] = hash_of(first, size);
                } else if (plain && field == number_field) {
                    int kind = plain_number(first, size, &number[row]);
                    if (kind == FOR_PYTHON)
                        plain = size < LONGEST && later(&left, (Left){row, first, size});
                    else
                        plain = kind == NUMBER;
                }
                field++;
            }
            first = p + 1;
            if (gap == '\n') {
                plain = plain && field == n;
                field = 0;
                line = first;
                row++;
            } else
                plain = plain && (gap == ' ' || gap == '\t' || (gap == '\r' && first < end && *first == '\n'));
        }
    }
    Py_END_ALLOW_THREADS

    for (Py_ssize_t i = 0; plain && i < left.n; i++) {
        char text[LONGEST];
        memcpy(text, left.items[i].text, left.items[i].length);
        text[left.items[i].length] = 0;
        number[left.items[i].row] = PyOS_string_to_double(text, NULL, NULL);
        if (PyErr_Occurred()) {
            PyErr_Clear();
            plain = 0;
        }
    }
    free(left.items);
    release(a, 8);
    if (!plain)
        Py_RETURN_NONE;
    return Py_BuildValue("nni", row, stretches, (seen & 0x8080808080808080u) == 0);
}

/* count(data): how many line ends. */
static PyObject *
count(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    Array data;
    if (n_args != 1) {
        PyErr_SetString(PyExc_TypeError, "count takes 1 argument");
        return NULL;
    }
    if (array(args[0], 1, 0, &data) < 0)
        return NULL;
    Py_ssize_t n = 0;
    for (Py_ssize_t i = 0; i < data.size; ) {
        /* So few that a byte counts them: many are compared at once. */
        Py_ssize_t stop = data.size - i > 255 * 32 ? i + 255 * 32 : data.size;
        unsigned few = 0;
        for (; i < stop; i++)
            few += data.data[i] == '\n';
        n += few;
    }
    release(&data, 1);
    return PyLong_FromSsize_t(n);
}

/* Objects ------------------------------------------------------------------------------------------------------ */

/* Texts that are put one after the other into memory that grows. */
typedef struct {
    char *data;
    size_t used, room;
} Heap;

/* `memcpy`, faster for texts as short as ids. */
static inline void
copy(char *to, const char *text, size_t size)
{
    if (size > 128) {
        memcpy(to, text, size);
    } else if (size >= 8) {
        for (size_t i = 0; i < size - 8; i += 8)
            memcpy(to + i, text + i, 8);
        memcpy(to + size - 8, text + size - 8, 8);
    } else if (size >= 4) {
        memcpy(to, text, 4);
        memcpy(to + size - 4, text + size - 4, 4);
    } else if (size) {
        to[0] = text[0];
        to[size / 2] = text[size / 2];
        to[size - 1] = text[size - 1];
    }
}

static inline int
put(Heap *heap, const char *text, size_t size)
{
    if (heap->room - heap->used < size) {
        size_t room = heap->room * 2 + size;
        char *more = realloc(heap->data, room);
        if (!more)
            return -1;
        heap->data = more;
        heap->room = room;
    }
    copy(heap->data + heap->used, text, size);
    heap->used += size;
    return 0;
}

/* The bytes of a string, NULL where it is none or has half of a surrogate pair; nothing is raised. */
static inline const char *
utf8(PyObject *of, Py_ssize_t *size)
{
    if (!PyUnicode_CheckExact(of))
        return NULL;
    const char *text = PyUnicode_AsUTF8AndSize(of, size);
    if (!text)
        PyErr_Clear();
    return text && *size <= INT32_MAX ? text : NULL;
}

static inline void
fetch(PyObject *of)
{
    PREFETCH((const char *)of);
    PREFETCH((const char *)of + 64);
}

typedef struct {
    Heap heap;
    int64_t *at;
    int32_t *length;
    uint64_t *hash;
    Py_ssize_t row;
} Found;

/* Add the text of an object; 0 where it is no plain text. */
static inline int
add(Found *found, PyObject *of)
{
    Py_ssize_t size;
    const char *text = utf8(of, &size);
    if (!text)
        return 0;
    found->at[found->row] = (int64_t)found->heap.used;
    found->length[found->row] = (int32_t)size;
    found->hash[found->row++] = hash_of(text, size);
    return put(&found->heap, text, size) == 0;
}

static PyObject *
ended(Found *found, int plain)
{
    PyObject *out = NULL;
    if (plain)
        out = PyBytes_FromStringAndSize(found->heap.data, (Py_ssize_t)found->heap.used);
    free(found->heap.data);
    if (!plain)
        Py_RETURN_NONE;
    return out;
}

/* An object array (of any stride) or list, item by item. Items are borrowed: nobody else runs meanwhile. */
typedef struct {
    Py_buffer view;
    PyObject *list;
    Py_ssize_t size;
} Objects;

static int
objects(PyObject *of, Objects *out)
{
    out->list = PyList_Check(of) ? of : NULL;
    if (out->list) {
        out->size = PyList_Size(of);
        return 0;
    }
    if (PyObject_GetBuffer(of, &out->view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0)
        return -1;
    if (out->view.ndim == 1 && out->view.format && strcmp(out->view.format, "O") == 0) {
        out->size = out->view.shape[0];
        return 0;
    }
    PyBuffer_Release(&out->view);
    PyErr_SetString(PyExc_TypeError, "expected a list or an array of objects");
    return -1;
}

static inline PyObject *
item(const Objects *of, Py_ssize_t row)
{
    if (of->list)
        return PyList_GetItem(of->list, row);
    PyObject *found; /* which need not be aligned: the array may be a field of another */
    memcpy(&found, (char *)of->view.buf + row * of->view.strides[0], sizeof found);
    return found;
}

static void
done(Objects *of)
{
    if (!of->list)
        PyBuffer_Release(&of->view);
}

/* collect(objects, at, length, hash): the characters of all strings, one after the other, or None. */
static PyObject *
collect(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    static const Py_ssize_t SIZES[] = {8, 4, 8};
    Objects given;
    Array a[3];
    if (n_args != 4) {
        PyErr_SetString(PyExc_TypeError, "collect takes 4 arguments");
        return NULL;
    }
    if (objects(args[0], &given) < 0)
        return NULL;
    if (all_arrays(args + 1, SIZES, "www", 3, a) < 0) {
        done(&given);
        return NULL;
    }
    int plain = a[0].size == given.size && a[1].size == given.size && a[2].size == given.size;
    Found found = {{NULL, 0, 0}, (int64_t *)a[0].data, (int32_t *)a[1].data, (uint64_t *)a[2].data, 0};
    for (Py_ssize_t row = 0; row < AHEAD && row < given.size; row++)
        fetch(item(&given, row));
    for (Py_ssize_t row = 0; plain && row < given.size; row++) {
        if (row + AHEAD < given.size)
            fetch(item(&given, row + AHEAD));
        PyObject *one = item(&given, row);
        plain = one && add(&found, one);
    }
    release(a, 3);
    done(&given);
    return ended(&found, plain);
}

/* Arrow's streams, as any of its libraries exports them: https://arrow.apache.org/docs/format/CStreamInterface.html */
struct schema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct schema **children, *dictionary;
    void (*release)(struct schema *);
    void *private_data;
};

struct chunk {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct chunk **children, *dictionary;
    void (*release)(struct chunk *);
    void *private_data;
};

struct chunks {
    int (*get_schema)(struct chunks *, struct schema *);
    int (*get_next)(struct chunks *, struct chunk *);
    const char *(*get_last_error)(struct chunks *);
    void (*release)(struct chunks *);
    void *private_data;
};

/* Text number `row` of an array of 'u' (32-bit offsets), 'U' (64-bit offsets) or 'v' (views); its size is -1 if it is
   too long for `length`. */
static inline const char *
text_at(const struct chunk *of, char kind, int64_t row, Py_ssize_t *size)
{
    if (kind == 'v') {
        /* Length; then the text, or the four bytes it begins with, number of a buffer, offset in it. */
        const int32_t *view = (const int32_t *)of->buffers[1] + 4 * row;
        *size = view[0];
        return view[0] <= 12 ? (const char *)(view + 1) : (const char *)of->buffers[2 + view[2]] + view[3];
    }
    int64_t first, end;
    if (kind == 'u') {
        first = ((const int32_t *)of->buffers[1])[row];
        end = ((const int32_t *)of->buffers[1])[row + 1];
    } else {
        first = ((const int64_t *)of->buffers[1])[row];
        end = ((const int64_t *)of->buffers[1])[row + 1];
    }
    *size = end - first <= INT32_MAX ? (Py_ssize_t)(end - first) : -1;
    return (const char *)of->buffers[2] + first;
}

/* stream(capsule, at, length, hash): the characters of all strings of a stream of Arrow, or None if they are no text. */
static PyObject *
stream(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    static const Py_ssize_t SIZES[] = {8, 4, 8};
    Array a[3];
    if (n_args != 4) {
        PyErr_SetString(PyExc_TypeError, "stream takes 4 arguments");
        return NULL;
    }
    struct chunks *given = PyCapsule_GetPointer(args[0], "arrow_array_stream");
    if (!given || all_arrays(args + 1, SIZES, "www", 3, a) < 0)
        return NULL;
    struct schema what = {0};
    int plain = given->release && given->get_schema(given, &what) == 0;
    char kind = 0;
    if (plain && (strcmp(what.format, "u") == 0 || strcmp(what.format, "U") == 0 || strcmp(what.format, "vu") == 0))
        kind = what.format[0];
    if (what.release)
        what.release(&what);
    plain = plain && kind;
    int64_t *at = (int64_t *)a[0].data, total = 0;
    int32_t *length = (int32_t *)a[1].data;
    uint64_t *hash = (uint64_t *)a[2].data;
    Py_ssize_t n = a[0].size, row = 0, n_chunks = 0;
    struct chunk *all = NULL;
    plain = plain && a[1].size == n && a[2].size == n;
    while (plain) {
        struct chunk *more = realloc(all, (n_chunks + 1) * sizeof(struct chunk));
        if ((plain = more != NULL)) {
            all = more;
            memset(&all[n_chunks], 0, sizeof(struct chunk));
            plain = given->get_next(given, &all[n_chunks]) == 0;
            if (!all[n_chunks].release)
                break;
            plain = plain && all[n_chunks++].length <= n - row;
            row += plain ? all[n_chunks - 1].length : 0;
        }
    }
    plain = plain && row == n;
    PyObject *out = NULL;
    Py_BEGIN_ALLOW_THREADS
    row = 0;
    for (Py_ssize_t i = 0; i < n_chunks; i++)
        for (int64_t its = all[i].offset; plain && its < all[i].offset + all[i].length; its++, row++) {
            Py_ssize_t size;
            text_at(&all[i], kind, its, &size);
            plain = size >= 0;
            at[row] = total;
            length[row] = (int32_t)size;
            total += size;
        }
    Py_END_ALLOW_THREADS
    if (plain && (out = PyBytes_FromStringAndSize(NULL, total))) {
        char *data = PyBytes_AsString(out);
        Py_BEGIN_ALLOW_THREADS
        row = 0;
        for (Py_ssize_t i = 0; i < n_chunks; i++)
            for (int64_t its = all[i].offset; its < all[i].offset + all[i].length; its++, row++) {
                Py_ssize_t size;
                const char *text = text_at(&all[i], kind, its, &size);
                hash[row] = hash_of(text, size);
                copy(data + at[row], text, size);
            }
        Py_END_ALLOW_THREADS
    }
    for (Py_ssize_t i = 0; i < n_chunks; i++)
        all[i].release(&all[i]);
    free(all);
    release(a, 3);
    if (!plain)
        Py_RETURN_NONE;
    return out;
}

/* changes(objects, rows): number of rows whose string differs from that before, the first included; or None. */
static PyObject *
changes(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    Objects given;
    Array rows;
    if (n_args != 2) {
        PyErr_SetString(PyExc_TypeError, "changes takes 2 arguments");
        return NULL;
    }
    if (objects(args[0], &given) < 0)
        return NULL;
    if (array(args[1], 8, 1, &rows) < 0) {
        done(&given);
        return NULL;
    }
    int64_t *out = (int64_t *)rows.data;
    Py_ssize_t n = 0;
    PyObject *before = NULL;
    int plain = rows.size >= given.size;
    for (Py_ssize_t row = 0; plain && row < given.size; row++) {
        PyObject *one = item(&given, row);
        if (row + AHEAD < given.size) {
            PyObject *later = item(&given, row + AHEAD);
            if (later != one)
                fetch(later);
        }
        if (row && one == before)
            continue;
        plain = one && PyUnicode_CheckExact(one);
        if (plain && !(row && PyUnicode_Compare(one, before) == 0))
            out[n++] = row;
        before = one;
    }
    release(&rows, 1);
    done(&given);
    if (!plain)
        Py_RETURN_NONE;
    return PyLong_FromSsize_t(n);
}

/* A number as a double; 0 where it is none, too large, or of a class that may say for itself what number it is. */
static inline int
number_of(PyObject *of, double *out)
{
    if (PyFloat_CheckExact(of)) {
        *out = PyFloat_AsDouble(of);
        return 1;
    }
    if (PyType_GetFlags(Py_TYPE(of)) & Py_TPFLAGS_HEAPTYPE)
        return 0;
    if (PyFloat_Check(of)) /* of NumPy */
        *out = PyFloat_AsDouble(of);
    else if (PyLong_Check(of))
        *out = PyLong_AsDouble(of);
    else
        return 0;
    if (*out == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    return 1;
}

/* entries(dicts, at, length, hash, number): the keys as by `collect`, their values as numbers; or None. */
static PyObject *
entries(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    static const Py_ssize_t SIZES[] = {8, 4, 8, 8};
    Array a[4];
    if (n_args != 5 || !PyList_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "entries takes a list of dicts and 4 arrays");
        return NULL;
    }
    if (all_arrays(args + 1, SIZES, "wwww", 4, a) < 0)
        return NULL;
    Py_ssize_t room = a[0].size;
    int plain = a[1].size == room && a[2].size == room && a[3].size == room;
    double *number = (double *)a[3].data;
    Found found = {{NULL, 0, 0}, (int64_t *)a[0].data, (int32_t *)a[1].data, (uint64_t *)a[2].data, 0};
    for (Py_ssize_t i = 0; plain && i < PyList_Size(args[0]); i++) {
        PyObject *dict = PyList_GetItem(args[0], i), *keys[SOME], *values[SOME];
        Py_ssize_t place = 0, n = SOME;
        plain = PyDict_CheckExact(dict) && PyDict_Size(dict) <= room - found.row;
        while (plain && n == SOME) {
            for (n = 0; n < SOME && PyDict_Next(dict, &place, &keys[n], &values[n]); n++) {
                fetch(keys[n]);
                PREFETCH((const char *)values[n]);
            }
            for (Py_ssize_t k = 0; plain && k < n; k++) {
                double *value = &number[found.row];
                plain = found.row < room && add(&found, keys[k]) && number_of(values[k], value);
            }
        }
    }
    plain = plain && found.row == room;
    release(a, 4);
    return ended(&found, plain);
}

/* Texts by row ------------------------------------------------------------------------------------------------- */

/* hashes(data, at, length, out) */
static PyObject *
hashes(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    static const Py_ssize_t SIZES[] = {1, 8, 4, 8};
    Array a[4];
    Texts of;
    if (n_args != 4) {
        PyErr_SetString(PyExc_TypeError, "hashes takes 4 arguments");
        return NULL;
    }
    if (all_arrays(args, SIZES, "rrrw", 4, a) < 0)
        return NULL;
    int good = texts_of(a, &of) == 0;
    if (good) {
        uint64_t *out = (uint64_t *)a[3].data;
        good = a[3].size == of.size;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; good && i < of.size; i++)
            if ((good = inside(&of, i)))
                out[i] = hash_of(of.data + of.at[i], of.length[i]);
        Py_END_ALLOW_THREADS
        if (!good)
            PyErr_SetString(PyExc_IndexError, "a row outside of the texts");
    }
    release(a, 4);
    if (!good)
        return NULL;
    Py_RETURN_NONE;
}

/* packed(data, at, length): the texts one after the other. */
static PyObject *
packed(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    static const Py_ssize_t SIZES[] = {1, 8, 4};
    Array a[3];
    Texts of;
    Heap heap = {NULL, 0, 0};
    if (n_args != 3) {
        PyErr_SetString(PyExc_TypeError, "packed takes 3 arguments");
        return NULL;
    }
    if (all_arrays(args, SIZES, "rrr", 3, a) < 0)
        return NULL;
    PyObject *out = NULL;
    int good = texts_of(a, &of) == 0;
    for (Py_ssize_t i = 0; good && i < of.size; i++) {
        if (!(good = inside(&of, i)))
            PyErr_SetString(PyExc_IndexError, "a row outside of the texts");
        else if (!(good = put(&heap, of.data + of.at[i], of.length[i]) == 0))
            PyErr_NoMemory();
    }
    if (good)
        out = PyBytes_FromStringAndSize(heap.data, (Py_ssize_t)heap.used);
    free(heap.data);
    release(a, 3);
    return out;
}

/* changes_of(data, at, length, rows): number of rows whose text differs from that before, the first included. */
static PyObject *
changes_of(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    static const Py_ssize_t SIZES[] = {1, 8, 4, 8};
    Array a[4];
    Texts of;
    if (n_args != 4) {
        PyErr_SetString(PyExc_TypeError, "changes_of takes 4 arguments");
        return NULL;
    }
    if (all_arrays(args, SIZES, "rrrw", 4, a) < 0)
        return NULL;
    Py_ssize_t n = -1;
    if (texts_of(a, &of) == 0) {
        int64_t *out = (int64_t *)a[3].data;
        n = 0;
        for (Py_ssize_t row = 0; row < of.size && n < a[3].size; row++)
            if (!row || !equal(&of, row - 1, &of, row))
                out[n++] = row;
    }
    release(a, 4);
    return n < 0 ? NULL : PyLong_FromSsize_t(n);
}

/* A place in a table of texts: some bits of the hash, and the row from 1; 0 if nothing is there. */
typedef struct {
    uint32_t bits, row;
} Place;

/* match(data, at, length, hash, codes, lengths, data, at, length, hash, begins, their_lengths, out)

   Rows in groups of so many; row i has the text codes[i], or i without codes. To each group belong some of the other
   texts. Fills for each row which of them is the same text, -1 if none is. False if a text is twice in a group. */
static PyObject *
match(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    static const Py_ssize_t SIZES[] = {1, 8, 4, 8, 8, 8, 1, 8, 4, 8, 8, 8, 8};
    Array a[13];
    Texts of, other;
    if (n_args != 13) {
        PyErr_SetString(PyExc_TypeError, "match takes 13 arguments");
        return NULL;
    }
    if (all_arrays(args, SIZES, "rrrrrrrrrrrrw", 13, a) < 0)
        return NULL;
    const uint64_t *hash = (const uint64_t *)a[3].data, *its_hash = (const uint64_t *)a[9].data;
    const int64_t *codes = a[4].size ? (const int64_t *)a[4].data : NULL, *lengths = (const int64_t *)a[5].data;
    const int64_t *begins = (const int64_t *)a[10].data, *its_lengths = (const int64_t *)a[11].data;
    int64_t *out = (int64_t *)a[12].data, n = a[12].size, first = 0, longest = 0;
    int good = texts_of(a, &of) == 0 && texts_of(a + 6, &other) == 0, once = 1;
    if (good) {
        for (Py_ssize_t g = 0; g < a[5].size; g++)
            longest = lengths[g] > longest ? lengths[g] : longest;
        good = a[3].size == of.size && a[9].size == other.size && n == (codes ? a[4].size : of.size)
               && longest <= n && n < UINT32_MAX && a[10].size == a[5].size && a[11].size == a[5].size;
        if (!good)
            PyErr_SetString(PyExc_ValueError, "arrays of other sizes");
    }
    int bits = 1;
    while (good && (int64_t)1 << bits < 4 * longest)
        bits++;
    Place *table = NULL;
    if (good && !(table = malloc(sizeof(Place) << bits))) {
        PyErr_NoMemory();
        good = 0;
    }
    if (good) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t g = 0; g < a[5].size && once; g++) {
            int64_t size = lengths[g] < longest ? lengths[g] : longest;
            size = size < n - first ? size : n - first;
            for (bits = 1; (int64_t)1 << bits < 4 * size; bits++)
                ;
            uint64_t last = ((uint64_t)1 << bits) - 1;
            memset(table, 0, sizeof(Place) << bits);
            for (int64_t i = 0; once && i < size; i++) {
                if (codes && i + AHEAD < size && codes[first + i + AHEAD] >= 0 && codes[first + i + AHEAD] < of.size)
                    PREFETCH(hash + codes[first + i + AHEAD]);
                int64_t code = codes ? codes[first + i] : first + i;
                out[first + i] = -1;
                if (!(once = code >= 0 && code < of.size))
                    break;
                uint64_t at = hash[code] >> (64 - bits);
                for (; once && table[at].row; at = (at + 1) & last)
                    if (table[at].bits == (uint32_t)hash[code]) {
                        int64_t there = first + table[at].row - 1;
                        once = !equal(&of, codes ? codes[there] : there, &of, code);
                    }
                table[at] = (Place){(uint32_t)hash[code], (uint32_t)(i + 1)};
            }
            for (int64_t its = begins[g]; once && its >= 0 && its < other.size && its < begins[g] + its_lengths[g]; its++) {
                for (uint64_t at = its_hash[its] >> (64 - bits); table[at].row; at = (at + 1) & last) {
                    int64_t there = first + table[at].row - 1;
                    if (table[at].bits == (uint32_t)its_hash[its]
                        && equal(&of, codes ? codes[there] : there, &other, its)) {
                        out[there] = its;
                        break;
                    }
                }
            }
            first += size > 0 ? size : 0;
        }
        Py_END_ALLOW_THREADS
    }
    free(table);
    release(a, 13);
    if (!good)
        return NULL;
    return PyBool_FromLong(once);
}

typedef struct {
    uint64_t begin; /* its first bytes behind what all of the group begin with: numbers in the order of texts */
    const char *text;
    int32_t length;
    int64_t row;
} Tied;

static int
falls(const void *a, const void *b)
{
    const Tied *one = a, *other = b;
    if (one->begin != other->begin)
        return one->begin < other->begin ? 1 : -1;
    int32_t shorter = one->length < other->length ? one->length : other->length;
    int found = memcmp(other->text, one->text, shorter);
    return found ? found : (one->length < other->length) - (one->length > other->length);
}

/* Sort some rows by falling text. */
static void
sort(Tied *tied, Py_ssize_t n)
{
    int32_t same = tied[0].length;
    for (Py_ssize_t i = 1; i < n; i++) {
        int32_t k = 0, most = tied[i].length < same ? tied[i].length : same;
        while (k < most && tied[i].text[k] == tied[0].text[k])
            k++;
        same = k;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        tied[i].begin = 0;
        for (int32_t k = same; k < same + 8; k++)
            tied[i].begin = tied[i].begin << 8 | (k < tied[i].length ? (unsigned char)tied[i].text[k] : 0);
    }
    if (n > 12) {
        qsort(tied, n, sizeof(Tied), falls);
        return;
    }
    for (Py_ssize_t i = 1; i < n; i++) {
        Tied one = tied[i];
        Py_ssize_t at = i;
        for (; at && falls(&tied[at - 1], &one) > 0; at--)
            tied[at] = tied[at - 1];
        tied[at] = one;
    }
}

/* falling(data, at, length, group, out): the rows of each group, which follow each other, by falling text. */
static PyObject *
falling(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    static const Py_ssize_t SIZES[] = {1, 8, 4, 8, 8};
    Array a[5];
    Texts of;
    if (n_args != 5) {
        PyErr_SetString(PyExc_TypeError, "falling takes 5 arguments");
        return NULL;
    }
    if (all_arrays(args, SIZES, "rrrrw", 5, a) < 0)
        return NULL;
    int good = texts_of(a, &of) == 0;
    const int64_t *group = (const int64_t *)a[3].data;
    int64_t *out = (int64_t *)a[4].data;
    Py_ssize_t n = a[3].size;
    if (good) {
        good = a[4].size == n && of.size == n;
        for (Py_ssize_t i = 0; good && i < n; i++)
            good = inside(&of, i);
        if (!good)
            PyErr_SetString(PyExc_IndexError, "a row outside of the texts");
    }
    Tied *tied = NULL;
    if (good && n && !(tied = malloc(n * sizeof(Tied)))) {
        PyErr_NoMemory();
        good = 0;
    }
    if (good) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < n; i++)
            tied[i] = (Tied){0, of.data + of.at[i], of.length[i], i};
        for (Py_ssize_t start = 0, stop; start < n; start = stop) {
            for (stop = start + 1; stop < n && group[stop] == group[start]; stop++)
                ;
            if (stop - start > 1)
                sort(tied + start, stop - start);
        }
        for (Py_ssize_t i = 0; i < n; i++)
            out[i] = tied[i].row;
        Py_END_ALLOW_THREADS
    }
    free(tied);
    release(a, 5);
    if (!good)
        return NULL;
    Py_RETURN_NONE;
}

/* strings(data, at, length, out): the texts as objects of an array. */
static PyObject *
strings(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    static const Py_ssize_t SIZES[] = {1, 8, 4};
    Array a[3];
    Texts of;
    Py_buffer objects;
    if (n_args != 4) {
        PyErr_SetString(PyExc_TypeError, "strings takes 4 arguments");
        return NULL;
    }
    if (all_arrays(args, SIZES, "rrr", 3, a) < 0)
        return NULL;
    if (PyObject_GetBuffer(args[3], &objects, PyBUF_CONTIG | PyBUF_FORMAT) < 0) {
        release(a, 3);
        return NULL;
    }
    int good = texts_of(a, &of) == 0;
    if (good && (strcmp(objects.format, "O") || objects.len != of.size * objects.itemsize)) {
        PyErr_SetString(PyExc_TypeError, "expected an array of as many objects as rows");
        good = 0;
    }
    PyObject **out = (PyObject **)objects.buf;
    for (Py_ssize_t i = 0; good && i < of.size; i++) {
        PyObject *text = NULL, *before = out[i];
        if (inside(&of, i))
            text = PyUnicode_FromStringAndSize(of.data + of.at[i], of.length[i]);
        else
            PyErr_SetString(PyExc_IndexError, "a row outside of the texts");
        good = text != NULL;
        if (good) {
            out[i] = text;
            Py_XDECREF(before);
        }
    }
    release(a, 3);
    PyBuffer_Release(&objects);
    if (!good)
        return NULL;
    Py_RETURN_NONE;
}

/* Module ------------------------------------------------------------------------------------------------------- */

#define METHOD(name) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL}

static PyMethodDef METHODS[] = {METHOD(lines),   METHOD(count),   METHOD(collect), METHOD(changes),
                                METHOD(entries), METHOD(hashes),  METHOD(match),   METHOD(falling), METHOD(strings),
                                METHOD(packed),  METHOD(stream),  METHOD(changes_of), {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot SLOTS[] = {{0, NULL}};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_native", NULL, 0, METHODS, SLOTS, NULL, NULL, NULL};

PyMODINIT_FUNC
PyInit__native(void)
{
    return PyModuleDef_Init(&MODULE);
}
