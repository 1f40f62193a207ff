// Hooks, with a value that follows another a moment later, so that typing stays quick.
import { useEffect, useState } from 'preact/hooks';

export { useMemo, useState } from 'preact/hooks';

export function useDeferredValue<T>(value: T, ms = 120): T {
  const [late, setLate] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), ms);
    return () => clearTimeout(timer);
  }, [value]);
  return late;
}
