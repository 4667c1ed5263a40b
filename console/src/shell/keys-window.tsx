import { presentActions } from '../parts/actions.ts'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import css from './shell.module.css'

/** `?`: the keys of the present screen. */
export const KeysWindow = ({ onClose }: { onClose(): void }) => (
  <Window title={words.shell.keys} isOpen onClose={onClose}>
    <dl className={css.keys}>
      <Keys title={words.shell.find} keys={words.shell.findHint} />
      {presentActions().map(
        ({ title, keys }) => keys !== undefined && <Keys key={keys} title={title} keys={keys} />,
      )}
    </dl>
    <div className={parts.actions}>
      <Button onClick={onClose}>{words.close}</Button>
    </div>
  </Window>
)

const Keys = ({ title, keys }: { readonly title: string; readonly keys: string }) => (
  <div>
    <dt>
      {keys.split(' ').map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </dt>
    <dd>{title}</dd>
  </div>
)
