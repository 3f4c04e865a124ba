/** The fields that a form has beside what people type. */
const own: ReadonlySet<string> = new Set(['csrf', 'form'])

/** Shorter values on one line are shown as lines, others as areas. */
const shortest = 80

/** Returns what was typed, so that it can be copied. */
export function KeptFields({ values }: { values: ReadonlyMap<string, string> }) {
  const typed = [...values].filter(([name, value]) => !own.has(name) && value.trim() !== '')
  if (typed.length === 0) return null
  return (
    <section class="kept" aria-labelledby="~kept">
      <h2 id="~kept">What you typed</h2>
      {typed.map(([name, value]) => (
        <div class="field">
          <label for={`~kept-${name}`}>{titleOf(name)}</label>
          {value.length <= shortest && !value.includes('\n') ? (
            <input id={`~kept-${name}`} value={value} readonly />
          ) : (
            <textarea id={`~kept-${name}`} rows={8} readonly dir="auto">
              {`\n${value}`}
            </textarea>
          )}
        </div>
      ))}
    </section>
  )
}

/** Returns the fields of a form as hidden ones, to send them again. */
export function HiddenFields({ values }: { values: ReadonlyMap<string, string> }) {
  return (
    <>
      {[...values]
        .filter(([name]) => name !== 'csrf')
        .map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
    </>
  )
}

/** Returns the name of a field in words: "commitMessage" is "Commit message". */
const titleOf = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`)
    .replace(/^./, first => first.toUpperCase())
