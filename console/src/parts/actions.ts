import { useEffect, useRef } from 'react'

/** Something that one can do on the present screen, by a button, by its keys, or by its name in the finder. */
export interface ScreenAction {
  readonly title: string
  /** Keys to press one after the other: `e`, or `g o`. */
  readonly keys?: string
  run(): void
}

const screens = new Set<() => readonly ScreenAction[]>()

/** Offers actions while the caller is on the screen. */
export function useActions(actions: readonly ScreenAction[]): void {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    const read = () => latest.current
    screens.add(read)
    return () => {
      screens.delete(read)
    }
  }, [])
}

/** The actions of everything that is on the screen now. */
export const presentActions = (): readonly ScreenAction[] => [...screens].flatMap((read) => read())

/** Whether keys go to a field or a window, and so are no commands. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable) &&
  !(target instanceof HTMLInputElement && target.type === 'checkbox')

const pauseMaxMs = 1200

/** Runs the actions whose keys are pressed. Returns what ends that. */
export function listenToKeys(): () => void {
  let pressed: readonly string[] = []
  let pressedAt = 0
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key.length > 1) return
    if (isTyping(event.target) || document.querySelector('[role="dialog"]')) return
    const isLate = event.timeStamp - pressedAt > pauseMaxMs
    pressed = [...(isLate ? [] : pressed), event.key].slice(-2)
    pressedAt = event.timeStamp
    const actions = presentActions()
    const action =
      actions.find(({ keys }) => keys === pressed.join(' ')) ?? actions.find(({ keys }) => keys === event.key)
    if (!action) return
    event.preventDefault()
    pressed = []
    action.run()
  }
  document.addEventListener('keydown', onKey)
  return () => document.removeEventListener('keydown', onKey)
}
