UPDATE marks SET mark = substr(mark, 1, instr(mark, ' ') - 1) || '=' || substr(mark, instr(mark, ' ') + 1)
WHERE substr(mark, 1, 1) = 'p' AND instr(mark, ' ') > 0;
