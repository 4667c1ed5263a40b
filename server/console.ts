import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from './kernel/errors.ts'
import { matches } from './kernel/http/conditional.ts'
import { codingFor } from './kernel/http/prefer.ts'
import { entityTag } from './kernel/shape/answer.ts'

const folder = fileURLToPath(new URL('../console/dist/', import.meta.url))

/**
 * The page runs only its own files, and talks only to this server. Nothing in it evaluates text, and no other page can
 * show it in a frame.
 */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The endings of the copies that the build has compressed. */
const copies = { br: '.br', gzip: '.gz' } as const

interface BuiltFile {
  readonly type: string
  readonly content: Buffer
  readonly copies: ReadonlyMap<string, Buffer>
  readonly tag: string
}

/**
 * The console: a page at `/console` and its files, as they were built. Any other path below it is the page too, which
 * reads its own address.
 */
export function serveConsole(server: FastifyInstance): void {
  let files: Promise<ReadonlyMap<string, BuiltFile>> | undefined
  const send = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
    files ??= readBuild()
    const built = await files
    const isAsset = name.startsWith('assets/')
    const file = built.get(name) ?? (isAsset ? undefined : built.get('index.html'))
    if (!file)
      throw new Problem(
        'not_found',
        built.size ? `The console has no file ${name}.` : 'The console is not built: run npm run build.',
      )
    return sendFile(request, reply, file, isAsset)
  }
  server.get('/console', (request, reply) => send(request, reply, 'index.html'))
  server.get<{ Params: { '*': string } }>('/console/*', (request, reply) =>
    send(request, reply, request.params['*']),
  )
}

/** Reads all files of the build: less than a megabyte, and some copies of it. */
async function readBuild(): Promise<ReadonlyMap<string, BuiltFile>> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const files = names.flatMap((name) => {
    const type = types[extname(name)]
    return type ? [readBuiltFile(name, type, names)] : []
  })
  return new Map(await Promise.all(files))
}

async function readBuiltFile(name: string, type: string, names: readonly string[]) {
  const content = await readFile(join(folder, name))
  const coded = Object.entries(copies)
    .filter(([, ending]) => names.includes(name + ending))
    .map(async ([coding, ending]) => [coding, await readFile(join(folder, name + ending))] as const)
  const file = { type, content, copies: new Map(await Promise.all(coded)), tag: entityTag(content) }
  return [name.replaceAll(sep, '/'), file] as const
}

/** The files of the page have names made of their content, so clients keep them; the page is asked for each time. */
async function sendFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  file: BuiltFile,
  isAsset: boolean,
): Promise<FastifyReply> {
  reply.headers({
    'content-type': file.type,
    'content-security-policy': contentPolicy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': isAsset ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.tag,
    vary: 'Accept-Encoding',
  })
  const known = headers['if-none-match']
  if (known !== undefined && matches(known, file.tag)) return reply.code(304).send()
  const coding = codingFor(headers['accept-encoding'])
  const copy = coding && file.copies.get(coding)
  if (coding && copy) return reply.header('content-encoding', coding).send(copy)
  return reply.send(file.content)
}
