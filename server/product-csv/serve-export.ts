import { isSigned, signatureOf } from '../kernel/auth/signatures.ts'
import { action } from '../kernel/declare/action.ts'
import { Problem } from '../kernel/errors.ts'
import { file } from '../kernel/http/file.ts'
import { text } from '../kernel/shape/fields.ts'
import type { Instance } from '../kernel/work/context.ts'
import { blobName } from '../platform/blobs/blobs.ts'

const signed = (storeId: string, name: string, until: string) => JSON.stringify([storeId, name, until])

/** Where everyone may read a file of an export until then. */
export function linkTo({ linkKeys }: Instance, storeId: string, name: string, untilMs: number): string {
  const until = String(Math.floor(untilMs / 1000))
  const signature = signatureOf(linkKeys, signed(storeId, name, until))
  return `/exports/${storeId}/${name}?until=${until}&signature=${signature}`
}

const missing = () => new Problem('not_found', 'file not found')

/** Shows a file of an export to whoever has its link. */
export const serveExport = action({
  name: 'serve-export',
  route: 'GET /exports/:store_id/:name',
  about: 'A file of an export, for whoever has the link that its job tells. The link is good for an hour.',
  area: 'open',
  storeIn: 'store_id',
  status: 200,
  query: {
    until: text({ required: true, about: 'Until when the link is good, in seconds since the epoch.' }),
    signature: text({ required: true, about: 'Shows that the link is one of ours.' }),
  },
  shows: { file: 'text/csv' },
  refuses: ['forbidden'],
  async run({ store, instance, clock }, { params: { name }, query }) {
    const asked = new URLSearchParams(query)
    const [until, signature] = [asked.get('until') ?? '', asked.get('signature') ?? '']
    if (!isSigned(instance.linkKeys, signed(store.id, name, until), signature)) throw missing()
    if (Number(until) * 1000 <= clock.now().getTime()) {
      throw new Problem('forbidden', 'The link was good for an hour: ask for the export again.')
    }
    const [fileId = ''] = name.split('_', 1)
    const content = await instance.blobs.read(blobName(store.id, fileId))
    if (!content) throw missing()
    return file(content, 'text/csv; charset=utf-8', {
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'private, no-store',
    })
  },
})
