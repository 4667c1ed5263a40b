import { useEffect, useRef, useState } from 'react'
import type { Resource } from '../api/document.ts'
import { termOf } from '../api/terms.ts'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import parts from '../parts/parts.module.css'
import { Snippet } from '../parts/snippet.tsx'
import { Window } from '../parts/window.tsx'
import { screenWords, words } from '../words/words.ts'
import css from './lists.module.css'
import {
  orderOf,
  pageMax,
  requestsOf,
  verdictOf,
  type Walked,
  type Way,
  type WholeList,
  walkPath,
  waysOf,
} from './walk.ts'
import { type CodeLanguage, codeLanguages, walkCode } from './walk-code.ts'
import { walk } from './walk-run.ts'

interface WalkWindowProps {
  readonly resource: Resource
  readonly listPath: string
  readonly filter: string | undefined
  /** How many objects the list has. */
  readonly total: number | undefined
  onClose(): void
}

/** For developers: how to read this list as a whole, as programs, and tried in the page. */
export function WalkWindow({ resource, listPath, filter, total, onClose }: WalkWindowProps) {
  const { walk: texts } = screenWords
  const ways = waysOf(resource)
  const sort = orderOf(resource)
  const list: WholeList = { listPath, filter, sort }
  const [way, setWay] = useState<Way>('export')
  const [language, setLanguage] = useState<CodeLanguage>('shell')
  return (
    <Window title={words.list.walk} isOpen isWide onClose={onClose}>
      <p>{texts.about(total)}</p>
      <fieldset className={css.formats}>
        <legend>{texts.way}</legend>
        {ways.map((one) => (
          <label key={one} className={parts.row}>
            <input type="radio" name="way" checked={way === one} onChange={() => setWay(one)} />
            {texts.ways[one]}
          </label>
        ))}
      </fieldset>
      <p>
        {texts.why[way === 'cursor' && sort === undefined ? 'cursorOwn' : way]}{' '}
        {total !== undefined && texts.requests(requestsOf(way, total))}
      </p>
      {total !== undefined && total > pageMax && (
        <p className={css.reason}>
          {texts.offset(Math.ceil(total / pageMax), total - pageMax, resource.offsetMax)}
        </p>
      )}
      <Trial key={way} {...{ way, list, resource }} />
      <fieldset className={css.formats}>
        <legend>{texts.language}</legend>
        <div className={parts.row}>
          {codeLanguages.map((one) => (
            <label key={one} className={parts.row}>
              <input
                type="radio"
                name="language"
                checked={language === one}
                onChange={() => setLanguage(one)}
              />
              {texts.languages[one]}
            </label>
          ))}
        </div>
      </fieldset>
      <Snippet
        key={`${way} ${language}`}
        label={texts.program}
        text={walkCode(language, way, list, location.origin)}
      />
      <div className={parts.actions}>
        <Button onClick={onClose}>{words.close}</Button>
      </div>
    </Window>
  )
}

interface TrialProps {
  readonly way: Way
  readonly list: WholeList
  readonly resource: Resource
}

interface Ended {
  readonly how: 'end' | 'stopped' | 'failed'
  readonly faults: readonly string[]
}

/** Reads the list here, and says whether it was read as a whole, and why. */
function Trial({ way, list, resource }: TrialProps) {
  const { walk: texts } = screenWords
  const [walked, setWalked] = useState<Walked>()
  const [ended, setEnded] = useState<Ended>()
  const stopper = useRef<AbortController>(undefined)
  useEffect(() => () => stopper.current?.abort(), [])
  const run = async () => {
    const abort = new AbortController()
    stopper.current = abort
    setEnded(undefined)
    setWalked({ read: 0, requests: 0 })
    try {
      await walk(way, list, abort.signal, setWalked)
      setEnded({ how: 'end', faults: [] })
    } catch (error) {
      if (abort.signal.aborted) setEnded({ how: 'stopped', faults: [] })
      else setEnded({ how: 'failed', faults: faultTexts(error) })
    }
  }
  const isRunning = walked !== undefined && ended === undefined
  return (
    <>
      <p className={parts.row}>
        {isRunning ? (
          <Button onClick={() => stopper.current?.abort()}>{texts.stop}</Button>
        ) : (
          <Button look="main" onClick={() => void run()}>
            {walked ? texts.again : texts.run}
          </Button>
        )}
        {walked && isRunning && (
          <progress
            className={css.progress}
            aria-label={words.list.walk}
            value={walked.read}
            max={Math.max(walked.first ?? walked.read, 1)}
          />
        )}
      </p>
      {walked && <Result {...{ way, list, resource, walked, ended }} />}
    </>
  )
}

interface ResultProps extends TrialProps {
  readonly walked: Walked
  readonly ended: Ended | undefined
}

function Result({ way, list, resource, walked, ended }: ResultProps) {
  const { walk: texts } = screenWords
  const verdict = ended && verdictOf(way, list, walked, ended.how)
  const { watermark, position, lastId } = walked
  const since = (mark: string) =>
    walkPath('export', {
      ...list,
      filter: [...(list.filter ? [`(${list.filter})`] : []), termOf('ge', 'updated_at', mark)].join(':'),
    })
  return (
    <section aria-label={texts.result}>
      <dl className={css.walked}>
        <div>
          <dt>{texts.read}</dt>
          <dd>{texts.of(walked.read, walked.first)}</dd>
        </div>
        <div>
          <dt>{texts.sent}</dt>
          <dd>{words.number(walked.requests)}</dd>
        </div>
        {position !== undefined && (
          <div>
            <dt>{texts.position}</dt>
            <dd>
              {position}. {texts.aboutPosition} <code>{`/v2/changes?page[after]=${position}`}</code>
            </dd>
          </div>
        )}
        {way !== 'export' && walked.requests > 0 && (
          <div>
            <dt>{texts.watermark}</dt>
            <dd>
              {watermark === undefined || !resource.filter?.updated_at ? (
                texts.noWatermark
              ) : (
                <>
                  {watermark}. {texts.aboutWatermark} <code>{decodeURIComponent(since(watermark))}</code>
                </>
              )}
            </dd>
          </div>
        )}
        {verdict && (
          <div>
            <dt>{texts.complete}</dt>
            <dd>
              <span role="status">
                <strong>{verdict.isComplete ? texts.yes : texts.no}.</strong> {texts.verdict[verdict.why]}
              </span>
            </dd>
          </div>
        )}
        {verdict && !verdict.isComplete && way === 'ids' && lastId !== undefined && (
          <div>
            <dt>{texts.goOn}</dt>
            <dd>
              <code>{decodeURIComponent(walkPath('ids', list, lastId))}</code>
            </dd>
          </div>
        )}
      </dl>
      <Faults texts={ended?.faults ?? []} />
    </section>
  )
}
