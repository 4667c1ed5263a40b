import { useEffect, useRef, useState } from 'react'
import type { Resource } from '../api/document.ts'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import type { ListSearch } from './address.ts'
import { canGoOn, type Exported, type ExportedList, exportList, nothingExported, saveFile } from './export.ts'
import type { LineFormat } from './lines.ts'
import css from './lists.module.css'

interface ExportWindowProps {
  readonly resource: Resource
  readonly listPath: string
  readonly search: ListSearch
  /** How many objects the list has. */
  readonly total: number | undefined
  onClose(): void
}

const formats = ['csv', 'ndjson'] as const

/** Exports what the list shows, as a file. */
export function ExportWindow({ resource, listPath, search, total, onClose }: ExportWindowProps) {
  const [format, setFormat] = useState<LineFormat>('csv')
  const [progress, setProgress] = useState<{ readonly sent: number; readonly of: number | undefined }>()
  const [result, setResult] = useState<Exported>()
  const end = useRef<AbortController>(undefined)
  useEffect(() => () => end.current?.abort(), [])
  const list: ExportedList = { listPath, filter: search.filter, sort: search.sort, format }
  const isComplete = result && !result.error && (result.total === undefined || result.total === result.sent)
  const isRunning = progress !== undefined && !result
  async function run(before: Exported) {
    const stopper = new AbortController()
    const { signal } = stopper
    end.current = stopper
    setResult(undefined)
    setProgress({ sent: before.sent, of: before.total })
    const next = await exportList(list, before, signal, (sent, of) => setProgress({ sent, of }))
    if (signal.aborted) return setProgress(undefined)
    setResult(next)
    if (!next.error) save(next)
  }
  const save = ({ file }: Exported) => saveFile(file, `${resource.id}.${format}`)
  const { export: texts } = words
  return (
    <Window title={texts.title} isOpen onClose={onClose}>
      <p>{total === undefined ? texts.aboutUnknown : texts.about(total)}</p>
      <fieldset className={css.formats} disabled={progress !== undefined}>
        {formats.map((one) => (
          <label key={one} className={parts.row}>
            <input type="radio" name="format" checked={format === one} onChange={() => setFormat(one)} />
            {texts.formats[one]}
          </label>
        ))}
      </fieldset>
      {progress && (
        <p>
          <progress
            className={css.progress}
            aria-label={texts.title}
            value={result?.sent ?? progress.sent}
            max={Math.max(progress.of ?? progress.sent, 1)}
          />{' '}
          <span role="status">
            {isComplete ? texts.done(result.sent) : texts.progress(progress.sent, progress.of)}
          </span>
        </p>
      )}
      {result && !isComplete && (
        <Faults
          texts={[
            texts.broken(result.sent, result.total),
            ...(result.error ? faultTexts(result.error) : []),
            ...(canGoOn(list, result) ? [] : [texts.cannotGoOn]),
          ]}
        />
      )}
      <div className={parts.actions}>
        <Button onClick={onClose}>{isRunning ? texts.stop : words.close}</Button>
        {result && isComplete && (
          <Button look="main" onClick={() => save(result)}>
            {texts.save}
          </Button>
        )}
        {result && !isComplete && <Button onClick={() => void run(nothingExported)}>{texts.again}</Button>}
        {result && !isComplete && canGoOn(list, result) && (
          <Button look="main" onClick={() => void run(result)}>
            {texts.goOn}
          </Button>
        )}
        {!progress && (
          <Button look="main" onClick={() => void run(nothingExported)}>
            {texts.start}
          </Button>
        )}
      </div>
    </Window>
  )
}
