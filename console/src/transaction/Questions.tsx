import { useQuestion } from './questions';

/** Shows the question that an action asks. */
export default function Questions() {
  return <>{useQuestion()?.render()}</>;
}
