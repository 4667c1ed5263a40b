import type { ComponentProps } from 'react'
import css from './parts.module.css'

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  readonly look?: 'main' | 'bad'
}

export const buttonClass = (look?: ButtonProps['look']): string =>
  [css.button, look && css[look]].filter(Boolean).join(' ')

export const Button = ({ look, type = 'button', ...others }: ButtonProps) => (
  <button {...others} type={type} className={buttonClass(look)} />
)
