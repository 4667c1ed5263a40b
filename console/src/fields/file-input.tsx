import { useEffect, useState } from 'react'
import { fieldLabel } from '../words/labels.ts'
import { words } from '../words/words.ts'
import css from './fields.module.css'

interface FileInputProps {
  readonly id: string
  readonly path: string
  readonly about?: string | undefined
  readonly required?: boolean | undefined
  readonly file: File | undefined
  readonly fault: string | undefined
  onChange(file: File | undefined): void
}

/** Chooses a file, by a click or by a drop on the field, and shows what was chosen. */
export function FileInput({ id, path, about, required, file, fault, onChange }: FileInputProps) {
  const preview = usePreview(file)
  return (
    <div className={css.field}>
      <label htmlFor={id} className={css.label}>
        {fieldLabel(path)}
        {required && <span className={css.required}> {words.form.required}</span>}
      </label>
      <input
        id={id}
        type="file"
        className={css.file}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-help ${id}-fault ${id}-chosen`}
        onChange={({ target }) => onChange(target.files?.[0])}
      />
      <div id={`${id}-chosen`} className={css.chosenFile}>
        {preview && <img src={preview} alt={words.upload.preview(file?.name ?? '')} />}
        {file && (
          <span>
            <bdi>{file.name}</bdi>, {words.upload.size(file.size)}
          </span>
        )}
      </div>
      <p id={`${id}-fault`} className={css.fault} aria-live="polite">
        {fault}
      </p>
      <p id={`${id}-help`} className={css.help}>
        {about}
      </p>
    </div>
  )
}

/** The address of a picture that was chosen, in this page. */
function usePreview(file: File | undefined): string | undefined {
  const [preview, setPreview] = useState<string>()
  useEffect(() => {
    if (!file?.type.startsWith('image/')) return setPreview(undefined)
    const url = URL.createObjectURL(file)
    setPreview(url)
    return () => URL.revokeObjectURL(url)
  }, [file])
  return preview
}
