import { type FormEvent, useId, useState } from 'react'
import type { Body, FieldFacts } from '../api/document.ts'
import { type Item, isItem, valueAt } from '../api/objects.ts'
import { ApiProblem } from '../api/problem.ts'
import { Editor } from '../fields/editor.tsx'
import { FileInput } from '../fields/file-input.tsx'
import { UploadProgress } from '../fields/upload-progress.tsx'
import { useUpload } from '../fields/use-upload.ts'
import { faultOf } from '../fields/values.ts'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import { words } from '../words/words.ts'
import { pathOfSource, type Texts } from './body.ts'
import css from './forms.module.css'

interface UploadFormProps {
  readonly body: Body
  /** Where it is sent. */
  readonly path: string
  readonly submit?: string
  onSaved(item: Item, answer: unknown): void
  onCancel(): void
}

/** A form with a file. What is chosen is not kept as a draft: a page may not open a file of the disk again. */
export function UploadForm({ body, path, submit, onSaved, onCancel }: UploadFormProps) {
  const id = useId()
  const uploading = useUpload()
  const [files, setFiles] = useState<Readonly<Record<string, File | undefined>>>({})
  const [texts, setTexts] = useState<Texts>({})
  const [faultsAt, setFaultsAt] = useState<Texts>({})
  const [faults, setFaults] = useState<readonly string[]>([])
  const { fields } = body
  const isMissing = (field: FieldFacts) => field.kind === 'file' && field.required && !files[field.path]
  const localFaults = (): Texts =>
    Object.fromEntries(
      fields.flatMap((field) => {
        const fault = isMissing(field)
          ? words.form.isRequired
          : field.kind === 'file'
            ? undefined
            : faultOf(field, texts[field.path] ?? '')
        return fault === undefined ? [] : [[field.path, fault]]
      }),
    )
  const send = async (event: FormEvent) => {
    event.preventDefault()
    const wrong = localFaults()
    setFaultsAt(wrong)
    setFaults([])
    if (Object.keys(wrong).length) return
    try {
      const answer = await uploading.start(path, formOf(fields, texts, files))
      if (!answer) return setFaults([words.upload.stopped])
      const data = valueAt(answer.body, 'data')
      onSaved(isItem(data) ? data : {}, answer.body)
    } catch (error) {
      refuse(error)
    }
  }
  /** Shows what is wrong at its field. */
  const refuse = (error: unknown) => {
    if (!(error instanceof ApiProblem)) return setFaults(faultTexts(error))
    const placed = error.faults.map((fault) => ({ at: pathOfSource(fault.source, fields), fault }))
    setFaultsAt(
      Object.fromEntries(
        placed.flatMap(({ at, fault }) => (at === undefined ? [] : [[at, fault.detail ?? fault.title]])),
      ),
    )
    const others = placed.filter(({ at }) => at === undefined).map(({ fault }) => fault)
    if (others.length || !error.faults.length)
      setFaults(faultTexts(new ApiProblem(error.status, others, error.requestId)))
  }
  const clear = (at: string) => {
    setFaults([])
    setFaultsAt(({ [at]: _, ...others }) => others)
  }
  const isSending = uploading.progress !== undefined
  return (
    <form className={css.form} noValidate onSubmit={(event) => void send(event)}>
      {fields.map((field) => {
        const own = { id: `${id}-${field.path}`, fault: faultsAt[field.path] }
        return field.kind === 'file' ? (
          <FileInput
            key={field.path}
            {...own}
            {...{ path: field.path, about: field.about, required: field.required }}
            file={files[field.path]}
            onChange={(file) => {
              clear(field.path)
              setFiles((before) => ({ ...before, [field.path]: file }))
            }}
          />
        ) : (
          <Editor
            key={field.path}
            {...{ field, ...own }}
            value={texts[field.path] ?? ''}
            near={path}
            ref={null}
            onChange={(text) => {
              clear(field.path)
              setTexts((before) => ({ ...before, [field.path]: text }))
            }}
            onBlur={() => {}}
          />
        )
      })}
      <Faults texts={faults} />
      {isSending && <UploadProgress {...uploading} />}
      <div className={css.bar}>
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button look="main" type="submit" disabled={isSending}>
          {submit ?? words.upload.start}
        </Button>
      </div>
    </form>
  )
}

/** Texts come before files: the server reads the parts as they arrive. */
function formOf(
  fields: readonly FieldFacts[],
  texts: Texts,
  files: Readonly<Record<string, File | undefined>>,
): FormData {
  const form = new FormData()
  for (const { path } of fields) if (texts[path]) form.append(path, texts[path])
  for (const [path, file] of Object.entries(files)) if (file) form.append(path, file)
  return form
}
