import type { ComponentChildren } from 'preact'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { useSurroundings } from './surroundings.ts'

/** What the fields of a form know of it. */
type Filled = {
  /** A word that makes the ids of its fields unique on the page. */
  id: string
  typedIn: (name: string) => string | undefined
  problemOf: (name: string) => string | undefined
}

const filled = createContext<Filled>({
  id: '',
  typedIn: () => undefined,
  problemOf: () => undefined,
})

type FormProps = {
  /** The path of the form, below `/app`. */
  to: string
  /** Tells forms with the same path apart that are on one page, such as one at each block. */
  name?: string
  class?: string
  label?: string | undefined
  /** It has a `FileInput`. */
  hasFile?: boolean
  children: ComponentChildren
}

/**
 * Returns a form. After it was sent and not accepted, it says why and contains what was typed:
 * fields take their values from it by name.
 */
export function Form({ to, name = '', class: style, label, hasFile, children }: FormProps) {
  const { base, csrf, entered, onShown } = useSurroundings()
  const again = entered?.to === to && entered.name === name ? entered : undefined
  if (again) onShown()
  const id = `${to.replace(/[^\w-]+/g, '-').replace(/^-/, '')}${name && `-${name}`}`
  const known = again && Object.values(again.problems).length > 0

  return (
    <form
      method="post"
      action={`${base}/app${to}`}
      enctype={hasFile ? 'multipart/form-data' : undefined}
      class={style}
      aria-label={label}
      id={id}
    >
      <input type="hidden" name="csrf" value={csrf} />
      {name !== '' && <input type="hidden" name="form" value={name} />}
      {again && again.alert !== '' && (
        <p class="alert" role="alert">
          {known ? 'Not sent yet: see the marked fields.' : again.alert}
        </p>
      )}
      <filled.Provider
        value={{
          id,
          typedIn: field => again?.values.get(field),
          problemOf: field => again?.problems[field],
        }}
      >
        {children}
      </filled.Provider>
    </form>
  )
}

/** Returns the state of a field: its id, the typed or given value, and what is wrong with it. */
function useField(name: string, value = '') {
  const { id, typedIn, problemOf } = useContext(filled)
  const problem = problemOf(name)
  const own = `${id}-${name}`
  return {
    id: own,
    value: typedIn(name) ?? value,
    problem,
    attributes: {
      id: own,
      name,
      'aria-invalid': problem === undefined ? undefined : ('true' as const),
      autofocus: problem !== undefined,
    },
  }
}

type FieldProps = {
  name: string
  label: string
  /** Shows the label to screen readers alone. */
  hidesLabel?: boolean
  hint?: ComponentChildren
  value?: string | undefined
  required?: boolean
  maxlength?: number
}

type Around = Pick<FieldProps, 'label' | 'hidesLabel' | 'hint'> & {
  id: string
  problem: string | undefined
  children: ComponentChildren
}

function Around({ id, label, hidesLabel, hint, problem, children }: Around) {
  return (
    <div class="field">
      <label for={id} class={hidesLabel ? 'sr' : undefined}>
        {label}
      </label>
      {children}
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {hint && (
        <p class="small muted" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

const describedBy = (id: string, problem: string | undefined, hint: unknown): string | undefined =>
  [problem !== undefined && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ') ||
  undefined

type TextFieldProps = FieldProps & {
  type?: 'text' | 'email' | 'url' | 'search' | 'number' | 'date'
  placeholder?: string
}

/** Returns a field of one line. */
export function TextField(props: TextFieldProps) {
  const { name, label, hidesLabel, hint, type = 'text', required, maxlength, placeholder } = props
  const { id, value, problem, attributes } = useField(name, props.value)
  return (
    <Around {...{ id, label, hidesLabel: hidesLabel ?? false, hint, problem }}>
      <input
        {...attributes}
        {...{ value, required, maxlength, placeholder }}
        type={type as 'text'}
        aria-describedby={describedBy(id, problem, hint)}
      />
    </Around>
  )
}

/** Returns a field of several lines. */
export function TextArea(
  props: FieldProps & { rows?: number; placeholder?: string; autofocus?: boolean },
) {
  const { name, label, hidesLabel, hint, rows = 4, required, maxlength, placeholder } = props
  const { id, value, problem, attributes } = useField(name, props.value)
  return (
    <Around {...{ id, label, hidesLabel: hidesLabel ?? false, hint, problem }}>
      {/* The first line break of a text area is not part of its text. */}
      <textarea
        {...attributes}
        {...{ rows, required, maxlength, placeholder }}
        autofocus={props.autofocus}
        dir="auto"
        aria-describedby={describedBy(id, problem, hint)}
      >
        {`\n${value}`}
      </textarea>
    </Around>
  )
}

export type Option = { value: string; title: string; hint?: string; disabled?: boolean }

/** Returns a list to choose one value from. */
export function Select(props: FieldProps & { options: readonly Option[] }) {
  const { name, label, hidesLabel, hint, options, required } = props
  const { id, value, problem, attributes } = useField(name, props.value)
  return (
    <Around {...{ id, label, hidesLabel: hidesLabel ?? false, hint, problem }}>
      <select {...attributes} required={required} aria-describedby={describedBy(id, problem, hint)}>
        {options.map(each => (
          <option value={each.value} selected={each.value === value} disabled={each.disabled}>
            {each.title}
          </option>
        ))}
      </select>
    </Around>
  )
}

/** Returns a group of buttons of which one is chosen. */
export function Choice(props: FieldProps & { options: readonly Option[] }) {
  const { name, label, options } = props
  const { id, value, problem } = useField(name, props.value)
  return (
    <fieldset class="choice" aria-describedby={problem === undefined ? undefined : `${id}-problem`}>
      <legend class={props.hidesLabel ? 'sr' : undefined}>{label}</legend>
      {options.map(each => (
        <label>
          <input
            type="radio"
            name={name}
            value={each.value}
            checked={each.value === value}
            disabled={each.disabled}
            required={props.required}
          />
          <span>
            {each.title}
            {each.hint && <small>{each.hint}</small>}
          </span>
        </label>
      ))}
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </fieldset>
  )
}

/** Returns a box to tick: the form has the field, with the value "on", if it is ticked. */
export function Checkbox({
  name,
  label,
  checked,
}: {
  name: string
  label: string
  checked?: boolean
}) {
  const { typedIn } = useContext(filled)
  // Of a form that is shown again, only the boxes are ticked that were.
  const wasSent = typedIn('csrf') !== undefined
  return (
    <label class="check">
      <input
        type="checkbox"
        name={name}
        checked={wasSent ? typedIn(name) === 'on' : (checked ?? false)}
      />
      <span>{label}</span>
    </label>
  )
}

/** Returns a field that takes a file, in a form with `hasFile`. */
export function FileInput({ accept, ...props }: FieldProps & { accept: string }) {
  const { id, problem, attributes } = useField(props.name)
  const { hint, required } = props
  return (
    <Around {...props} id={id} problem={problem}>
      <input
        type="file"
        accept={accept}
        required={required}
        aria-describedby={describedBy(id, problem, hint)}
        {...attributes}
      />
    </Around>
  )
}

/** Returns a field that the form carries, such as the revision that was looked at. */
export const Hidden = ({ name, value }: { name: string; value: string }) => (
  <input type="hidden" name={name} value={value} />
)

type ButtonProps = {
  kind?: 'primary' | 'danger' | undefined
  /** A field that only this button sends. */
  name?: string
  value?: string
  disabled?: boolean
  /** Sends the form although fields are empty that must not be. */
  formnovalidate?: boolean
  class?: string
  label?: string
  children: ComponentChildren
}

/** Returns the button that sends a form. */
export function Submit({ kind, class: style, label, children, ...rest }: ButtonProps) {
  return (
    <button
      type="submit"
      class={['btn', kind, style].filter(Boolean).join(' ')}
      aria-label={label}
      {...rest}
    >
      {children}
    </button>
  )
}
