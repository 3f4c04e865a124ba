/** Returns the first element that a selector matches. */
export function find<E extends HTMLElement = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): E | null {
  return within.querySelector<E>(selector)
}

/** Returns the elements that a selector matches. */
export function all<E extends HTMLElement = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): E[] {
  return [...within.querySelectorAll<E>(selector)]
}

/** Calls a function for clicks on elements that a selector matches, those added later included. */
export function onClick(
  selector: string,
  run: (element: HTMLElement, event: MouseEvent) => void,
): void {
  document.addEventListener('click', event => {
    const element = event.target instanceof Element && event.target.closest<HTMLElement>(selector)
    if (element) run(element, event)
  })
}

/** Returns a kept value; undefined where the browser keeps none, as in private windows. */
export function kept(
  name: string,
  storage: () => Storage = () => localStorage,
): string | undefined {
  try {
    return storage().getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a value, or removes it. */
export function keep(
  name: string,
  value: string | undefined,
  storage: () => Storage = () => localStorage,
): void {
  try {
    if (value === undefined) storage().removeItem(name)
    else storage().setItem(name, value)
  } catch {
    // A browser that keeps nothing forgets the choice with the page.
  }
}

/** Returns the values of one visit. */
export const visit = (): Storage => sessionStorage

/** Whether motion is welcome. */
export const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
