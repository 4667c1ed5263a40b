import { action } from '../../kernel/declare/action.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { type FormFile, readForm } from '../../kernel/http/reading/form.ts'
import { newId } from '../../kernel/ids.ts'
import { filePart, flag, text } from '../../kernel/shape/fields.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { blobName } from '../../platform/blobs/blobs.ts'
import { extensionOf, findType } from './file-types.ts'
import { files } from './files.ts'
import { fileBytesMax, receive, type UploadedFile } from './receive-file.ts'

/** Of the URL of a file that is hosted elsewhere. */
const locationCharsMax = 2048

/** The multipart envelope around the file. */
const envelopeBytesMax = 64 * 1024

export const createFile = action({
  name: 'create-file',
  route: 'POST /v2/files',
  about: 'Uploads a file of at most 8 MiB, or refers to a file that is hosted elsewhere.',
  area: 'files',
  status: 201,
  upload: {
    bytesMax: fileBytesMax + envelopeBytesMax,
    form: {
      file: filePart({
        about: 'The file. The extension of its name decides its type.',
        example: 'The content of a file.',
      }),
      file_location: text({
        ...{ max: locationCharsMax, format: 'uri' },
        about: 'Instead of `file`: the URL of a file that is hosted elsewhere.',
      }),
      public: flag({ about: 'Only with `file`. Ignored: every file is public.' }),
    },
    formRules: {
      // Not `oneOf`: some generators of clients make code of it that does not compile.
      if: { required: ['file'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { not: { required: ['file_location'] } },
      else: { required: ['file_location'] },
      dependentRequired: { public: ['file'] },
    },
  },
  shows: { resource: files },
  async run(ctx, { upload, headers }) {
    let uploaded: UploadedFile | undefined
    const take = async (file: FormFile) => {
      uploaded = await receive(ctx, file)
    }
    try {
      const texts = await readForm(upload, headers['content-type'] as string | undefined, 'file', take)
      const location = texts.get('file_location')
      mustBeFileOrLocation(uploaded, location, texts.has('public'))
      const row = uploaded ? await storeFile(ctx, uploaded) : await referTo(ctx, location as string)
      return objectAnswer(201, files, row, ctx)
    } finally {
      await uploaded?.draft.discard()
    }
  },
})

function mustBeFileOrLocation(
  file: UploadedFile | undefined,
  location: string | undefined,
  isPublic: boolean,
): void {
  const refuse = (detail: string, source: string) =>
    new Problem('bad_request', detail, { title: 'Validation Failed', source })
  if (!file && location === undefined) throw refuse('You have not supplied a file to store', 'file')
  if (file && location !== undefined)
    throw refuse('Send either file or file_location, not both.', 'file_location')
  if (location !== undefined && isPublic)
    throw refuse('public is only allowed with file, not with file_location.', 'public')
}

/** Stores the content before the row, so that every row has its content. A refused row removes the content again. */
async function storeFile(work: Ctx, { draft, values }: UploadedFile) {
  const id = work.chosenId ?? newId()
  const name = blobName(work.store.id, id)
  try {
    if (!work.isRehearsal) await draft.keep(name)
    return await add(work, files, [], values, id)
  } catch (error) {
    // If the database is away, the chore `forgetOrphans` removes the content later.
    const row = await work.store.find(files, id)
    if (!row) await work.instance.blobs.remove(name)
    throw error
  }
}

/** Creates a file that is hosted elsewhere. The URL is not opened. */
function referTo(work: Ctx, location: string) {
  const url = URL.parse(location)
  if (!url || !/^https?:$/.test(url.protocol) || location.length > locationCharsMax)
    throw invalidUrl(location)
  const last = url.pathname.split('/').findLast(Boolean) ?? ''
  const mime_type = findType(extensionOf(last))?.mime ?? 'application/octet-stream'
  return add(work, files, [], { mime_type, file_size: 0, location: url.href }, work.chosenId)
}

const invalidUrl = (location: string) =>
  new Problem('unprocessable', `${location.slice(0, locationCharsMax)} is not a valid URL`, {
    title: 'file_location invalid',
    source: 'file_location',
  })
