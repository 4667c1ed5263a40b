import { type ActionCall, action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { matches } from '../../kernel/http/conditional.ts'
import { file } from '../../kernel/http/file.ts'
import { isId } from '../../kernel/ids.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import { text } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { blobName } from '../../platform/blobs/blobs.ts'
import { rangeOf } from '../../platform/sockets/ranges.ts'
import { extensionOf, findType } from './file-types.ts'
import { files, servedName } from './files.ts'

export const serveFile = action({
  name: 'serve-file',
  route: 'GET /files/:store_id/:name',
  about:
    'Reads the content of a file at the URL of its `link`. The content never changes, so clients may cache it forever. ' +
    'With `Range: bytes=…` the response is a part of the content (206), or an error if there is no such part (416).',
  area: 'open',
  storeIn: 'store_id',
  status: 200,
  shows: { file: true },
  refuses: ['range_not_satisfiable'],
  headers: {
    Range: text({ about: 'The bytes to read, such as `bytes=0-1023`.', example: 'bytes=0-1023' }),
    'If-Range': text({
      about: 'The ETag that the file must have; otherwise the response is the whole file.',
    }),
    'If-None-Match': text({ about: 'The ETag of your copy. The response is a 304 if the copy is current.' }),
  },
  async run(ctx, { params, headers, method }) {
    const { id, bytes, always } = await find(ctx, params.name)
    const ifNoneMatch = headers['if-none-match']
    if (typeof ifNoneMatch === 'string' && matches(ifNoneMatch, always.etag))
      return { status: 304, body: '', headers: always }
    const part = rangeOf(readRange(method, headers, always.etag), bytes)
    if (part === 'beyond') {
      throw new Problem(
        'range_not_satisfiable',
        `The range must begin inside the file, which has ${bytes} bytes.`,
        {
          source: 'Range',
          headers: { 'content-range': `bytes */${bytes}` },
        },
      )
    }
    const { first, last } = part ?? { first: 0, last: bytes - 1 }
    const { 'content-type': type, ...others } = always
    const length = { 'content-length': String(last - first + 1) }
    const toAnswer = (content: Parameters<typeof file>[0], more = {}): Answer =>
      file(content, type, { ...others, ...length, ...more })
    if (method === 'HEAD' || bytes === 0) return toAnswer(new Uint8Array())
    const content = await ctx.instance.blobs.read(blobName(ctx.store.id, id), bytes, part)
    if (!content) throw fileNotFound(params.name)
    if (!part) return toAnswer(content)
    return { ...toAnswer(content, { 'content-range': `bytes ${first}-${last}/${bytes}` }), status: 206 }
  },
})

const fileNotFound = (name: string) => notFound('file', name)

/** Finds the file with this name if its content is stored here, and the headers of all responses about it. */
async function find({ store }: Ctx, name: string) {
  const [id = ''] = name.toLowerCase().split('.', 1)
  const row = isId(id) ? await store.find(files, id) : undefined
  if (!row || row.hidden.location !== undefined) throw fileNotFound(name)
  const { file_name = '', mime_type, file_size } = row.doc
  if (name !== servedName(id, file_name)) throw fileNotFound(name)
  return { id, bytes: file_size, always: toHeaders(id, file_name, mime_type) }
}

const toHeaders = (id: string, name: string, type: string) => ({
  'content-type': type,
  // A strong ETag: the bytes of an id never change.
  etag: `"${id}"`,
  'cache-control': 'public, max-age=31536000, immutable',
  'accept-ranges': 'bytes',
  'content-disposition': `inline; filename*=UTF-8''${encodeName(withoutPath(name))}`,
  // Any page may embed it, even one with a cross-origin embedder policy.
  'cross-origin-resource-policy': 'cross-origin',
  // If a browser opened the file directly, its scripts would run with the origin of this server.
  ...(findType(extensionOf(name))?.runs && {
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  }),
})

/** The file name without the directories that a client may have sent. */
const withoutPath = (name: string): string => name.split(/[/\\]/).at(-1) as string

/** Encodes a name as RFC 8187 asks. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** RFC 9110 §14.2: only GET has ranges, and If-Range limits them to the version of the client. */
function readRange(
  method: string,
  { range, 'if-range': ifRange }: ActionCall['headers'],
  etag: string,
): string | undefined {
  if (method !== 'GET' || typeof range !== 'string') return undefined
  return ifRange === undefined || ifRange === etag ? range : undefined
}
