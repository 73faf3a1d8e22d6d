import java.util.List;
import java.util.Map;

public class Bank extends LinpointModel {
    public Object init() {
        return Map.of("a1", 100L, "a2", 100L, "a3", 100L, "a4", 100L);
    }

    public List<Outcome> step(Object state, String op, List<Object> args, Long process) {
        if (op.equals("read_all")) {
            return List.of(new Outcome(state, state));
        }
        var balances = map(state);
        var from = balances.get(args.get(0));
        var to = balances.get(args.get(1));
        var amount = (Long) args.get(2);
        var done = from != null && to != null && amount >= 0 && (Long) from >= amount;
        if (done && !args.get(0).equals(args.get(1))) {
            balances.put((String) args.get(0), (Long) from - amount);
            balances.put((String) args.get(1), (Long) to + amount);
        }
        return List.of(new Outcome(done, state));
    }

    public static void main(String[] args) throws Exception {
        var bank = new Bank();
        bank.about.put("reads", List.of("read_all"));
        bank.about.put("ops", List.of(List.of("transfer", "a1", "a2", "$amount"),
                List.of("transfer", "a2", "a3", 60L), List.of("read_all")));
        bank.serve("bank");
    }
}
