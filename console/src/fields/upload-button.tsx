import { useId, useRef, useState } from 'react'
import type { Write } from '../api/document.ts'
import { valueAt } from '../api/objects.ts'
import { useRights } from '../api/rights.ts'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import parts from '../parts/parts.module.css'
import { words } from '../words/words.ts'
import css from './fields.module.css'
import { FileInput } from './file-input.tsx'
import { UploadProgress } from './upload-progress.tsx'
import { useUpload } from './use-upload.ts'

interface UploadButtonProps {
  /** What creates the objects that can be chosen. */
  readonly write: Write
  onUploaded(id: string): void
}

/** Uploads a file where one is chosen, so that nobody has to leave the form for it. */
export function UploadButton({ write, onUploaded }: UploadButtonProps) {
  const id = useId()
  const rights = useRights()
  const uploading = useUpload()
  // Others may be chosen while the file is sent.
  const latest = useRef(onUploaded)
  latest.current = onUploaded
  const [isOpen, setOpen] = useState(false)
  const [file, setFile] = useState<File>()
  const [fault, setFault] = useState<string>()
  const [faults, setFaults] = useState<readonly string[]>([])
  if (!rights.may(write.right)) return null
  if (!isOpen)
    return (
      <div className={parts.row}>
        <Button onClick={() => setOpen(true)}>{words.upload.another}</Button>
      </div>
    )
  const send = async () => {
    if (!file) return setFault(words.form.isRequired)
    setFaults([])
    const form = new FormData()
    form.append('file', file)
    try {
      const answer = await uploading.start(write.path, form)
      if (!answer) return setFaults([words.upload.stopped])
      setOpen(false)
      setFile(undefined)
      latest.current(String(valueAt(answer.body, 'data.id')))
    } catch (error) {
      setFaults(faultTexts(error))
    }
  }
  const choose = (chosen: File | undefined) => {
    setFile(chosen)
    setFault(undefined)
    setFaults([])
  }
  return (
    <fieldset className={css.uploader}>
      <legend className="readersOnly">{words.upload.another}</legend>
      <FileInput {...{ id, file, fault }} path="file" onChange={choose} />
      <Faults texts={faults} />
      {uploading.progress === undefined ? (
        <div className={parts.row}>
          <Button onClick={() => void send()}>{words.upload.start}</Button>
          <Button onClick={() => setOpen(false)}>{words.cancel}</Button>
        </div>
      ) : (
        <UploadProgress {...uploading} />
      )}
    </fieldset>
  )
}
