import { action } from '../kernel/declare/action.ts'
import { Problem } from '../kernel/errors.ts'
import { type FormFile, readForm } from '../kernel/http/form.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import { newId } from '../kernel/ids.ts'
import { filePart, flag, text } from '../kernel/shape/fields.ts'
import type { Work } from '../kernel/work/context.ts'
import { add } from '../kernel/write/by-rules.ts'
import { blobName } from '../platform/blobs/blobs.ts'
import { files } from './files.ts'
import { fileBytesMax, type Received, receive } from './receive-file.ts'
import { referTo } from './refer-to-file.ts'

/** What is around a file in a form. */
const aroundBytesMax = 64 * 1024

/** Keeps a file that comes in a form, or remembers where one is. */
export const createFile = action({
  name: 'create-file',
  route: 'POST /v2/files',
  about: 'Uploads a file of at most 8 MiB, or refers to one that is kept elsewhere.',
  area: 'files',
  status: 201,
  upload: {
    bytesMax: fileBytesMax + aroundBytesMax,
    form: {
      file: filePart({ about: 'The file, under its name, which says of what type it is.' }),
      file_location: text({
        format: 'uri',
        about: 'In its place: the address of a file that is kept elsewhere.',
      }),
      public: flag({ about: 'Ignored: every file is public.' }),
    },
  },
  shows: { resource: files },
  async run(ctx, { upload, headers }) {
    let received: Received | undefined
    const take = async (file: FormFile) => {
      received = await receive(ctx, file)
    }
    try {
      const texts = await readForm(upload, headers['content-type'] as string | undefined, 'file', take)
      const location = texts.get('file_location')
      mustBeOne(received, location, texts.has('public'))
      const row = received ? await keep(ctx, received) : await referTo(ctx, location as string)
      return objectAnswer(201, files, row, ctx)
    } finally {
      await received?.draft.discard()
    }
  },
})

function mustBeOne(received: Received | undefined, location: string | undefined, isPublic: boolean): void {
  const refuse = (detail: string, source: string) =>
    new Problem('bad_request', detail, { title: 'Validation Failed', source })
  if (!received && location === undefined) throw refuse('You have not supplied a file to store', 'file')
  if (received && location !== undefined)
    throw refuse('Send either file or file_location, not both.', 'file_location')
  if (location !== undefined && isPublic)
    throw refuse('Send public with a file only, not with file_location.', 'public')
}

/** The content first: a file that is there has one. When its row is refused, nothing is left. */
async function keep(work: Work, { draft, values }: Received) {
  const id = newId()
  const name = blobName(work.store.id, id)
  try {
    await draft.keep(name)
    return await add(work, files, [], values, id)
  } catch (error) {
    // Where the database does not answer, whoever looks for what has no row finds it: see forget-orphans.ts.
    const row = await work.store.find(files, id)
    if (!row) await work.instance.blobs.remove(name)
    throw error
  }
}
