import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { Problem } from '../../errors.ts'
import { refuseText } from './body.ts'

/** A file of a form, while it arrives. */
export interface FormFile {
  /** The name from the client, which may include a path; undefined if there is none. */
  readonly fileName: string | undefined
  /** The type from the client. */
  readonly type: string
  readonly content: Readable
}

/** Enough for one file and a few short texts. */
const limits = {
  files: 1,
  fields: 20,
  fieldSize: 64 * 1024,
  parts: 40,
  headerPairs: 20,
  headerSize: 16 * 1024,
}

/**
 * Reads an upload that is a form (multipart/form-data). Passes the part named `file` to `take` while it arrives; `take`
 * must read it to its end. Returns the other parts as texts, by name. If `take` rejects, so does the form.
 */
export async function readForm(
  upload: Readable,
  contentType: string | undefined,
  file: string,
  take: (file: FormFile) => Promise<void>,
): Promise<ReadonlyMap<string, string>> {
  const form = openForm(contentType, file)
  const texts = new Map<string, string>()
  let refused: { readonly error: unknown } | undefined
  const refuse = (error: unknown) => {
    refused ??= { error }
    form.destroy(error as Error)
  }
  const tooMany = () =>
    refuse(
      new Problem(
        'bad_request',
        `A form must have at most ${limits.fields} fields, and only one part named ${file}.`,
      ),
    )
  for (const event of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) form.on(event, tooMany)
  // After the first error the rest only concerns the destroyed stream.
  form.on('error', () => {})
  form.on('field', (name, text, _nameCut, cut) => {
    try {
      if (cut)
        throw new Problem('invalid_field', `${name} must have at most ${limits.fieldSize} bytes.`, {
          source: name,
        })
      refuseText(text, name)
      texts.set(name, text)
    } catch (error) {
      refuse(error)
    }
  })
  let content: Readable | undefined
  let consumer = Promise.resolve()
  form.on('file', (_name, part: Readable, fileName: string | undefined, _encoding, type) => {
    // A fault of the transport fails the form at once; a refusal by `take` is only known when it rejects. The
    // PassThrough keeps the two apart: a failing reader destroys its stream first, without a reason.
    part.on('error', (error) => refuse(asProblem(error)))
    content = part.pipe(new PassThrough())
    content.on('error', () => {})
    consumer = take({ fileName, type, content }).catch(refuse)
  })
  try {
    await pipeline(upload, form)
    await consumer
  } catch (error) {
    refused ??= { error: asProblem(error) }
    content?.destroy(refused.error as Error)
    await consumer
  }
  if (refused) throw refused.error
  return texts
}

function openForm(contentType: string | undefined, file: string): BusboyInstance {
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(contentType ?? '')) {
    const detail =
      contentType === undefined
        ? 'The Content-Type header is required: send multipart/form-data.'
        : `The Content-Type must be multipart/form-data, not ${contentType}.`
    throw new Problem('unsupported_media_type', detail)
  }
  try {
    return new Busboy({
      headers: { 'content-type': contentType ?? '' },
      limits,
      preservePath: true,
      // Some clients send the file without a file name.
      isPartAFile: (name) => name === file,
    })
  } catch (error) {
    throw malformed(error)
  }
}

const asProblem = (error: unknown) => (error instanceof Problem ? error : malformed(error))

const malformed = (error: unknown) =>
  new Problem('bad_request', `The form cannot be read: ${(error as Error).message}.`, { cause: error })
