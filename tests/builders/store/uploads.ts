import { deflateSync } from 'node:zlib'
import type { Client } from '../../support/client.ts'
import type { Reply, World } from '../../support/world.ts'

/** A picture of a size, as small as one can be. */
export function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    // Its checksum is nobody's business here.
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(16))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export interface SentFile {
  readonly name?: string
  readonly content?: string | Buffer
  readonly type?: string
  /** Other parts of the form. */
  readonly texts?: Readonly<Record<string, string>>
}

/** What `fetch` sends of a form. */
export function formOf({ name, content, type, texts = {} }: SentFile): FormData {
  const form = new FormData()
  for (const [part, text] of Object.entries(texts)) form.append(part, text)
  if (content !== undefined) {
    const bytes = new Blob([typeof content === 'string' ? content : new Uint8Array(content)], {
      ...(type && { type }),
    })
    form.append('file', bytes, name)
  }
  return form
}

export async function upload(world: World, sent: SentFile, client: Client = world.admin): Promise<Reply> {
  const answer = await fetch(`${world.url}/v2/files`, {
    method: 'POST',
    headers: client.token ? { authorization: `Bearer ${client.token}` } : {},
    body: formOf(sent),
  })
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

/** The file that was made of it. */
export async function uploaded(world: World, sent: SentFile, client?: Client) {
  const { status, body } = await upload(world, sent, client)
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.data as { id: string; file_name: string; link: { href: string }; meta: { dimensions?: object } }
}
