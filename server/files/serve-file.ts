import { action } from '../kernel/declare/action.ts'
import { notFound, Problem } from '../kernel/errors.ts'
import type { Answer } from '../kernel/http/answer.ts'
import { matches } from '../kernel/http/conditional.ts'
import { file } from '../kernel/http/file.ts'
import { isId } from '../kernel/ids.ts'
import { text } from '../kernel/shape/fields.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { blobName } from '../platform/blobs/blobs.ts'
import { rangeOf } from '../platform/sockets/ranges.ts'
import { extensionOf, typeOf } from './file-types.ts'
import { files, servedName } from './files.ts'

/** Shows everyone the content of a file, or a part of it. */
export const serveFile = action({
  name: 'serve-file',
  route: 'GET /files/:store_id/:name',
  about:
    'The content of a file, for everyone: the address that `link` of a file has. It never changes, so it may be kept ' +
    'for good. With `Range: bytes=…` a part of it is answered (206), or that there is no such part (416).',
  area: 'open',
  storeIn: 'store_id',
  status: 200,
  shows: { file: true, ranges: true },
  refuses: ['range_not_satisfiable'],
  headers: {
    Range: text({ about: 'Which bytes to answer: `bytes=0-1023`.', example: 'bytes=0-1023' }),
    'If-Range': text({ about: 'The ETag that the part must be of; else the whole file is answered.' }),
    'If-None-Match': text({ about: 'The ETag of the file you have; 304 when it is still that.' }),
  },
  async run(ctx, { params, headers, method }) {
    const { id, bytes, always } = await find(ctx, params.name)
    const ifNoneMatch = headers['if-none-match']
    if (typeof ifNoneMatch === 'string' && matches(ifNoneMatch, always.etag))
      return { status: 304, body: '', headers: always }
    const part = rangeOf(partWanted(method, headers, always.etag), bytes)
    if (part === 'beyond') {
      throw new Problem('range_not_satisfiable', `The file has ${bytes} bytes.`, {
        source: 'Range',
        headers: { 'content-range': `bytes */${bytes}` },
      })
    }
    const { first, last } = part ?? { first: 0, last: bytes - 1 }
    const { 'content-type': type, ...others } = always
    const length = { 'content-length': String(last - first + 1) }
    const answered = (content: Parameters<typeof file>[0], more = {}): Answer =>
      file(content, type, { ...others, ...length, ...more })
    if (method === 'HEAD' || bytes === 0) return answered(new Uint8Array())
    const content = await ctx.instance.blobs.read(blobName(ctx.store.id, id), bytes, part)
    if (!content) throw missing(params.name)
    if (!part) return answered(content)
    return { ...answered(content, { 'content-range': `bytes ${first}-${last}/${bytes}` }), status: 206 }
  },
})

const missing = (name: string) => notFound('file', name)

/** The file of such a name, if its content is kept here, and the headers of all answers about it. */
async function find({ store }: Ctx, name: string) {
  const [id = ''] = name.toLowerCase().split('.', 1)
  const row = isId(id) ? await store.find(files, id) : undefined
  if (!row || row.hidden.location !== undefined) throw missing(name)
  const { file_name = '', mime_type, file_size } = row.doc
  if (name !== servedName(id, file_name)) throw missing(name)
  return { id, bytes: file_size, always: headersOf(id, file_name, mime_type) }
}

const headersOf = (id: string, name: string, type: string) => ({
  'content-type': type,
  // Strong: what an id stands for is the same bytes for good.
  etag: `"${id}"`,
  'cache-control': 'public, max-age=31536000, immutable',
  'accept-ranges': 'bytes',
  'content-disposition': `inline; filename*=UTF-8''${extended(withoutPath(name))}`,
  // Any page may show it, also one that asks for the consent of all it shows.
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  // Opened by itself it would otherwise act in the name of this server.
  ...(typeOf(extensionOf(name))?.runs && {
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  }),
})

/** What a browser may call the file: the client may have sent directories of its own before it. */
const withoutPath = (name: string): string => name.split(/[/\\]/).at(-1) as string

/** RFC 8187: what is no letter, digit or one of a few signs is written as bytes. */
const extended = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** RFC 9110 §14.2: only a GET has ranges, and with If-Range only of the version that the client has. */
function partWanted(
  method: string,
  { range, 'if-range': ifRange }: Headers,
  etag: string,
): string | undefined {
  if (method !== 'GET' || typeof range !== 'string') return undefined
  return ifRange === undefined || ifRange === etag ? range : undefined
}
