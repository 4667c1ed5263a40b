import { isSigned, signatureOf } from '../../kernel/auth/signatures.ts'
import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { file } from '../../kernel/http/file.ts'
import { newId } from '../../kernel/ids.ts'
import { text } from '../../kernel/shape/fields.ts'
import type { Instance, Work } from '../../kernel/work/context.ts'
import { blobName } from '../../platform/blobs/blobs.ts'

/** How long a link is valid. */
export const linkMs = 3_600_000

const toSignedText = (storeId: string, name: string, until: string) => JSON.stringify([storeId, name, until])

/** The path of an exported file. Everyone may read it there until `untilMs`. */
export function signLink({ linkKeys }: Instance, storeId: string, name: string, untilMs: number): string {
  const until = String(Math.floor(untilMs / 1000))
  const signature = signatureOf(linkKeys, toSignedText(storeId, name, until))
  return `/exports/${storeId}/${name}?until=${until}&signature=${signature}`
}

const fileNotFound = () => new Problem('not_found', 'file not found')

/** Serves an exported file to everyone who has its link. */
export const serveExport = action({
  name: 'serve-export',
  route: 'GET /exports/:store_id/:name',
  about: 'Reads an exported file. The job shows the link, which is valid for an hour.',
  area: 'open',
  storeIn: 'store_id',
  status: 200,
  query: {
    until: text({ required: true, about: 'When the link expires, in seconds since the epoch.' }),
    signature: text({ required: true, about: 'Proves that this server made the link.' }),
  },
  shows: { file: 'text/csv' },
  refuses: ['forbidden'],
  async run({ store, instance, clock }, { params: { name }, query }) {
    const parameters = new URLSearchParams(query)
    const [until, signature] = [parameters.get('until') ?? '', parameters.get('signature') ?? '']
    if (!isSigned(instance.linkKeys, toSignedText(store.id, name, until), signature)) throw fileNotFound()
    if (Number(until) * 1000 <= clock.now().getTime()) {
      throw new Problem(
        'forbidden',
        'The link has expired: it was valid for an hour. Start the export again.',
      )
    }
    const [fileId = ''] = name.split('_', 1)
    const content = await instance.blobs.read(blobName(store.id, fileId))
    if (!content) throw fileNotFound()
    return file(content, 'text/csv; charset=utf-8', {
      'content-disposition': `attachment; filename="${name}"`,
    })
  },
})

/** Stores the content of an export. Returns the id of its file, which `signLink` names. */
export async function storeExport(
  { store, instance }: Work,
  content: AsyncIterable<Uint8Array>,
): Promise<string> {
  const draft = await instance.blobs.draft(content)
  try {
    const fileId = newId()
    // No row of `files` refers to it, so the chore forget-orphans deletes it after a week.
    await draft.keep(blobName(store.id, fileId))
    return fileId
  } finally {
    await draft.discard()
  }
}
