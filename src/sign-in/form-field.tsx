export type FieldState = {
  /** What was typed before, and what is wrong with it, by field. */
  values: Readonly<Record<string, string>>
  problems: Readonly<Record<string, string>>
}

type FieldProps = FieldState & {
  name: string
  label: string
  type: 'text' | 'email'
  autocomplete: string
  maxlength: number
}

/** Shows a field that has to be filled in, with what is wrong with it. */
export function FormField(props: FieldProps) {
  const { name, label, type, autocomplete, maxlength, values, problems } = props
  const problem = problems[name]
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        autocomplete={autocomplete}
        maxlength={maxlength}
        // The types of Preact take a text field only with a list.
        type={type as 'email'}
        id={name}
        name={name}
        value={values[name] ?? ''}
        required
        {...(problem !== undefined && {
          'aria-invalid': true,
          'aria-describedby': `${name}-problem`,
        })}
      />
      {problem !== undefined && (
        <p class="problem" id={`${name}-problem`} role="alert">
          {label}: {problem}.
        </p>
      )}
    </div>
  )
}
