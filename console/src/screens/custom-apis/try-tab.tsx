import { useId, useState } from 'react'
import { curlOf } from '../../api/client.ts'
import type { Item } from '../../api/objects.ts'
import { useRights } from '../../api/rights.ts'
import { Button } from '../../parts/button.tsx'
import { Faults, faultTexts } from '../../parts/faults.tsx'
import parts from '../../parts/parts.module.css'
import { Snippet } from '../../parts/snippet.tsx'
import type { TabProps } from '../../records/record-parts.ts'
import { screenWords, words } from '../../words/words.ts'
import css from './custom-apis.module.css'
import { useFields } from './design.ts'
import { sendTry } from './send-try.ts'
import { changeOf, hashIn, newEntry, requestOf, type Tried, type Try, tries } from './trying.ts'

/** An entry from its creation to its end, with the versions between, as a client sees them. */
export function TryTab({ item, itemPath }: TabProps) {
  const { try: texts } = screenWords.customApis
  const rights = useRights()
  const fields = useFields(itemPath)
  if (rights.isKnown && !rights.may('write custom-entries'))
    return <p>{rights.role ? texts.mayNot(rights.role) : texts.keyOnly}</p>
  if (fields.error) return <Faults texts={faultTexts(fields.error)} />
  if (!fields.data) return <p role="status">{words.loading}</p>
  return <Trial api={item} fields={fields.data} />
}

const pretty = (value: unknown) => (value === undefined ? '' : JSON.stringify(value, null, 2))

function Trial({ api, fields }: { readonly api: Item; readonly fields: readonly Item[] }) {
  const id = useId()
  const { try: texts } = screenWords.customApis
  const type = String(api.api_type)
  const entries = `/v2/extensions/${String(api.slug)}`
  const [bodies, setBodies] = useState({
    created: pretty(newEntry(type, fields)),
    change: pretty(changeOf(type, fields)),
  })
  const [done, setDone] = useState<readonly Tried[]>([])
  const [isRunning, setRunning] = useState(false)
  const [faults, setFaults] = useState<readonly string[]>([])
  const parsed = { created: parse(bodies.created), change: parse(bodies.change) }
  const isBroken = (['created', 'change'] as const).some(
    (one) => bodies[one] !== '' && parsed[one] === undefined,
  )
  const run = async (step: Try) => {
    // A new entry begins a new try.
    const before = step === 'create' ? [] : done
    const request = requestOf(step, entries, before, parsed)
    if (!request) return
    setRunning(true)
    setFaults([])
    try {
      setDone([...before, await sendTry(step, request)])
    } catch (error) {
      setFaults(faultTexts(error))
    } finally {
      setRunning(false)
    }
  }
  const canRun = (step: Try) =>
    !isRunning && !isBroken && requestOf(step, entries, done, parsed) !== undefined
  return (
    <>
      <p className={css.warning}>{texts.about}</p>
      <div className={css.bodies}>
        {(['created', 'change'] as const).map((one) => (
          <div key={one} className={css.whole}>
            <label htmlFor={`${id}-${one}`}>{texts[one]}</label>
            <textarea
              id={`${id}-${one}`}
              className={parts.input}
              rows={8}
              spellCheck={false}
              value={bodies[one]}
              onChange={({ target }) => setBodies({ ...bodies, [one]: target.value })}
            />
          </div>
        ))}
      </div>
      {bodies.change === '' && <p className={css.dim}>{texts.noFields}</p>}
      <Faults texts={isBroken ? [texts.notJson] : faults} />
      <div className={parts.row}>
        {tries.map((step) => (
          <Button key={step} disabled={!canRun(step)} onClick={() => void run(step)}>
            {texts.steps[step]}
          </Button>
        ))}
      </div>
      <div aria-live="polite">
        {done.map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only added.
          <Step key={at} tried={one} before={done.slice(0, at).findLast(({ etag }) => etag !== undefined)} />
        ))}
      </div>
    </>
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One request and its answer, and why it was answered so. */
function Step({ tried, before }: { readonly tried: Tried; readonly before: Tried | undefined }) {
  const { try: texts } = screenWords.customApis
  const { step, status, etag, etagId, faults, request } = tried
  const isSame = step === 'change' && etag !== undefined && etag === before?.etag
  return (
    <section className={css.step} aria-label={texts.steps[step]}>
      <h2>{texts.steps[step]}</h2>
      <p>
        {texts.status}: <strong>{status}</strong>
        {etag !== undefined && (
          <>
            {'. '}
            {texts.etag}: <code>{etag}</code>
          </>
        )}
        {etag !== undefined && etagId !== undefined && (
          <>
            {'. '}
            {texts.etagId}: <code>{etagId}</code> ({hashIn(etag) === etagId ? texts.matches : texts.differs})
          </>
        )}
      </p>
      {faults.map((fault) => (
        <p key={fault}>{fault}</p>
      ))}
      <p>{isSame ? texts.same : texts.why[step](status < 300)}</p>
      <details>
        <summary>{texts.curl}</summary>
        <Snippet label={texts.curl} text={curlOf(request)} />
      </details>
    </section>
  )
}
