// Modules that are loaded when they are needed, or brought by an entry where import() is refused: service workers.

const brought = new Map<string, unknown>();

/** For entries: by their files' names, and the glue of builds by theirs. */
export function bring(modules: Readonly<Record<string, unknown>>): void {
  for (const [name, module] of Object.entries(modules)) brought.set(name, module);
}

/** @param load its import(), literal, for bundlers */
export async function late<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  return (brought.get(name) as Module | undefined) ?? load();
}
