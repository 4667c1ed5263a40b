import { useEffect, useId, useState } from 'react'
import parts from '../../parts/parts.module.css'
import { screenWords } from '../../words/words.ts'
import css from './custom-apis.module.css'
import type { Design } from './field-rules.ts'
import { faultOf, type Matches, type SampleFault, sampleOf } from './samples.ts'

/** Sample values, each with what the rules say to it while they are typed. */
export function Samples({ design }: { readonly design: Design }) {
  const id = useId()
  const { samples: texts } = screenWords.customApis
  const [text, setText] = useState('')
  const matches = useMatches(design.rules.regex)
  const lines = text === '' ? [] : text.split('\n')
  return (
    <section aria-label={texts.title}>
      <div className={css.whole}>
        <label htmlFor={id}>{texts.label}</label>
        <textarea
          id={id}
          className={parts.input}
          rows={3}
          aria-describedby={`${id}-about`}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <span id={`${id}-about`} className={css.dim}>
          {texts.about}
        </span>
      </div>
      {lines.length > 0 && (
        <ul aria-live="polite">
          {lines.map((line, at) => {
            const fault = faultOf(design, sampleOf(design.type, line), matches)
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place.
              <li key={at} className={css.outcome} data-refused={fault}>
                <code>{line || texts.empty}</code>: {fault ? faultText(design, fault) : texts.accepted}
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}

function faultText({ type, rules }: Design, fault: SampleFault): string {
  const { samples: texts, rules: names } = screenWords.customApis
  if (fault === 'type') return texts.type(type)
  if (fault === 'allow_null_values') return texts.null
  return texts.fault(names[fault], String(rules[fault] ?? ''))
}

/** The engine of the server comes when there is a regular expression. One that it refuses matches nothing here: the server says why. */
function useMatches(regex: unknown): Matches | undefined {
  const [matches, setMatches] = useState<{ readonly test: Matches }>()
  useEffect(() => {
    let isOld = false
    setMatches(undefined)
    if (typeof regex !== 'string' || regex === '') return
    void import('re2js')
      .then(({ RE2JS }) => RE2JS.compile(regex))
      .then(
        (compiled) => !isOld && setMatches({ test: (text) => compiled.matcher(text).find() }),
        () => {},
      )
    return () => {
      isOld = true
    }
  }, [regex])
  return matches?.test
}
